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
import type { Gradients } from "./gradients.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward, projectOnto, projectTogether, projectTogetherBackward } from "./projection.ts";
import type { MergedProjection } from "./projection.ts";

interface FeedForwardPass {
  readonly input: Tensor;
  readonly gate: Tensor;
  readonly up: Tensor;
  readonly activated: Tensor;
}

/** Saved for the backward pass. */
export interface LayerPass {
  readonly input: Tensor;
  readonly inputInvRms: Tensor;
  readonly attention: AttentionPass;
  readonly middle: Tensor;
  readonly middleInvRms: Tensor;
  readonly feedForward: FeedForwardPass;
}

const inputNorm = "input_layernorm.weight";
const middleNorm = "post_attention_layernorm.weight";

/** x + attention(norm(x)), then x + down(silu(gate(norm(x))) * up(norm(x))). */
export function layerForward(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  rows: LayerRows,
): { readonly output: Tensor; readonly pass: LayerPass } {
  const { kernels } = model;
  const pass = layerActivations(model, layer, input, rows);
  const down = project(model, partName(layer, "down_proj"), pass.feedForward.activated, rows.dropout);
  return { output: kernels.add(pass.middle, down), pass };
}

/** Recomputes activations. */
export function layerActivations(model: ModelOnDevice, layer: number, input: Tensor, rows: LayerRows): LayerPass {
  const { kernels } = model;
  const normed = norm(model, layer, inputNorm, input);
  const attention = attentionForward(model, layer, normed.out, rows);
  const middle = kernels.add(gatherSelectedRows(kernels, input, rows), attention.output);
  const middleNormed = norm(model, layer, middleNorm, middle);
  return {
    input,
    inputInvRms: normed.invRms,
    attention: attention.pass,
    middle,
    middleInvRms: middleNormed.invRms,
    feedForward: feedForwardForward(model, layer, middleNormed.out, rows.dropout),
  };
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
  kernels.scope(() =>
    attentionFromCache(model, layer, x, norm(model, layer, inputNorm, x).out, positions, cache, plan),
  );
  kernels.scope(() => {
    const { activated } = feedForwardForward(model, layer, norm(model, layer, middleNorm, x).out);
    projectOnto(model, partName(layer, "down_proj"), x, activated);
  });
}

/** Returns d loss / d input and adds trained gradients. */
export function layerBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  pass: LayerPass,
  rows: LayerRows,
  gradients: Gradients,
): Tensor {
  const { kernels } = model;
  const normBackward = (part: string, onto: Tensor, dOut: Tensor, x: Tensor, invRms: Tensor): Tensor =>
    gradients.rmsNorm(model, layerName(layer, part), { dOut, x, invRms }, onto);
  const dMiddleNormed = feedForwardBackward(model, layer, dOutput, pass.feedForward, gradients, rows.dropout);
  const dMiddle = normBackward(middleNorm, dOutput, dMiddleNormed, pass.middle, pass.middleInvRms);
  const dNormed = attentionBackward(model, layer, dMiddle, pass.attention, rows, gradients);
  const dSelected = scatterSelectedRows(kernels, dMiddle, rows);
  return normBackward(inputNorm, dSelected, dNormed, pass.input, pass.inputInvRms);
}

function norm(model: ModelOnDevice, layer: number, part: string, x: Tensor): { out: Tensor; invRms: Tensor } {
  return model.kernels.rmsNorm(x, parameter(model, layerName(layer, part)), model.config.rmsNormEpsilon);
}

function feedForwardForward(model: ModelOnDevice, layer: number, input: Tensor, dropout?: Dropout): FeedForwardPass {
  const [gate, up] = projectTogether(model, gateAndUp(model, layer), input, dropout) as [Tensor, Tensor];
  return { input, gate, up, activated: model.kernels.swiGlu(gate, up) };
}

function feedForwardBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  { input, gate, up, activated }: FeedForwardPass,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor {
  const { kernels } = model;
  const dActivated = projectBackward(model, partName(layer, "down_proj"), dOutput, activated, gradients, dropout);
  const { dGate, dUp } = kernels.swiGluBackward(dActivated, gate, up);
  return projectTogetherBackward(model, gateAndUp(model, layer), [dGate, dUp], input, gradients, dropout);
}

function gateAndUp({ config }: ModelOnDevice, layer: number): MergedProjection {
  const width = config.feedForwardSize;
  return {
    name: partName(layer, "gate_up_proj"),
    parts: [
      { name: partName(layer, "gate_proj"), width },
      { name: partName(layer, "up_proj"), width },
    ],
  };
}

function partName(layer: number, part: string): string {
  return layerName(layer, `mlp.${part}`);
}
