import type { CachePlan, KeyValueCache, Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";
import {
  attentionBackward,
  attentionForward,
  attentionFromCache,
  type AttentionPass,
  gatherSelectedRows,
  scatterSelectedRows,
  type LayerRows,
} from "./attention-block.ts";
import type { NormPlace } from "./families.ts";
import type { Gradients } from "./gradients.ts";
import type { ModelOnDevice } from "./model-on-device.ts";
import { norm, normBackward, scaledBy, type Normed, type NormPass } from "./norm.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward, projectOnto, projectTogether, projectTogetherBackward } from "./projection.ts";
import type { MergedProjection } from "./projection.ts";

interface FeedForwardPass {
  readonly input: Tensor;
  readonly gate: Tensor;
  readonly up: Tensor;
  readonly activated: Tensor;
}

export interface LayerPass {
  readonly norms: Partial<Record<NormPlace, NormPass | null>>;
  readonly attention: AttentionPass;
  readonly middle: Tensor;
  readonly feedForward: FeedForwardPass;
}

/** x + attention(norm(x)), then x + down(act(gate(norm(x))) * up(norm(x))); some families norm the outputs. */
export function layerForward(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  rows: LayerRows,
): { readonly output: Tensor; readonly pass: LayerPass } {
  const { pass, down } = layerActivations(model, layer, input, rows);
  const delta = down ?? project(model, downName(layer), pass.feedForward.activated, rows.dropout);
  return { output: addScaled(model, pass.middle, delta), pass };
}

/** Recomputes activations; `down` is the feed-forward output if a norm reads it. */
export function layerActivations(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  rows: LayerRows,
): { readonly pass: LayerPass; readonly down: Tensor | null } {
  const norms: LayerPass["norms"] = {};
  const normed = (part: NormPlace, x: Tensor): Tensor => {
    const { out, pass } = layerNorm(model, layer, part, x);
    norms[part] = pass;
    return out;
  };
  const attention = attentionForward(model, layer, normed("beforeAttention", input), rows);
  const mixed = normed("afterAttention", attention.output);
  const middle = addScaled(model, gatherSelectedRows(model.kernels, input, rows), mixed);
  const feedForward = feedForwardForward(model, layer, normed("beforeFeedForward", middle), rows.dropout);
  const down = model.config.family.norms.afterFeedForward
    ? normed("afterFeedForward", project(model, downName(layer), feedForward.activated, rows.dropout))
    : null;
  return { pass: { norms, attention: attention.pass, middle, feedForward }, down };
}

/** Changes `x` in place, for sampling. */
export function layerFromCache(
  model: ModelOnDevice,
  layer: number,
  x: Tensor,
  positions: Tensor,
  cache: KeyValueCache,
  plan: CachePlan,
): void {
  const { kernels } = model;
  // Intermediates of a long prompt are as large as a layer's weights.
  kernels.scope(() => {
    const { out } = layerNorm(model, layer, "beforeAttention", x);
    const mixed = attentionFromCache(model, layer, out, positions, cache, plan);
    addProjection(model, layer, layerName(layer, "self_attn.o_proj"), "afterAttention", x, mixed);
  });
  kernels.scope(() => {
    const { out } = layerNorm(model, layer, "beforeFeedForward", x);
    const { activated } = feedForwardForward(model, layer, out);
    addProjection(model, layer, downName(layer), "afterFeedForward", x, activated);
  });
}

function addProjection(
  model: ModelOnDevice,
  layer: number,
  name: string,
  after: "afterAttention" | "afterFeedForward",
  x: Tensor,
  input: Tensor,
): void {
  const { residualScale, family } = model.config;
  if (!family.norms[after] && residualScale === 1) return projectOnto(model, name, x, input);
  const { out } = layerNorm(model, layer, after, project(model, name, input));
  model.kernels.accumulate(x, scaledBy(model, out, residualScale));
}

/** Returns d loss / d input and adds trained gradients. */
export function layerBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  { norms, attention, feedForward }: LayerPass,
  rows: LayerRows,
  gradients: Gradients,
): Tensor {
  const deltaBackward = (part: NormPass | null | undefined, d: Tensor): Tensor =>
    normBackward(model, part, scaledBy(model, d, model.config.residualScale), gradients);
  const dDown = deltaBackward(norms.afterFeedForward, dOutput);
  const dMiddleNormed = feedForwardBackward(model, layer, dDown, feedForward, gradients, rows.dropout);
  const dMiddle = normBackward(model, norms.beforeFeedForward, dMiddleNormed, gradients, dOutput);
  const dMixed = deltaBackward(norms.afterAttention, dMiddle);
  const dNormed = attentionBackward(model, layer, dMixed, attention, rows, gradients);
  const dSelected = scatterSelectedRows(model.kernels, dMiddle, rows);
  return normBackward(model, norms.beforeAttention, dNormed, gradients, dSelected);
}

function layerNorm(model: ModelOnDevice, layer: number, part: NormPlace, x: Tensor): Normed {
  const name = model.config.family.norms[part];
  return norm(model, name && layerName(layer, `${name}.weight`), x);
}

function addScaled(model: ModelOnDevice, x: Tensor, delta: Tensor): Tensor {
  return model.kernels.add(x, scaledBy(model, delta, model.config.residualScale));
}

function feedForwardForward(model: ModelOnDevice, layer: number, input: Tensor, dropout?: Dropout): FeedForwardPass {
  const [gate, up = gate] = projectTogether(model, gateAndUp(model, layer), input, dropout) as [Tensor, Tensor?];
  return { input, gate, up, activated: model.kernels.swiGlu(gate, up, model.config.gateCurve) };
}

function feedForwardBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  { input, gate, up, activated }: FeedForwardPass,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor {
  const { kernels, config } = model;
  const dActivated = projectBackward(model, downName(layer), dOutput, activated, gradients, dropout);
  const { dGate, dUp } = kernels.swiGluBackward(dActivated, gate, up, config.gateCurve);
  const dParts = config.family.ungated ? [kernels.add(dGate, dUp)] : [dGate, dUp];
  return projectTogetherBackward(model, gateAndUp(model, layer), dParts, input, gradients, dropout);
}

function gateAndUp({ config }: ModelOnDevice, layer: number): MergedProjection {
  const parts = config.family.ungated ? ["up_proj"] : ["gate_proj", "up_proj"];
  return {
    name: partName(layer, "gate_up_proj"),
    parts: parts.map((part) => ({ name: partName(layer, part), width: config.feedForwardSize })),
  };
}

function downName(layer: number): string {
  return partName(layer, "down_proj");
}

function partName(layer: number, part: string): string {
  return layerName(layer, `mlp.${part}`);
}
