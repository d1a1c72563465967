import type { AdapterDropout } from "../lora/adapter-on-device.ts";
import type { CachePlan, KeyValueCache, Tensor } from "../kernels/index.ts";
import { attentionBackward, attentionForward, attentionFromCache, type AttentionPass } from "./attention-block.ts";
import type { Gradients } from "./gradients.ts";
import { keepWanted, spreadWanted, type LayerRows } from "./layer-rows.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward } from "./projection.ts";

/** What the backward pass of one layer needs. */
export interface LayerPass {
  readonly input: Tensor;
  readonly attention: AttentionPass;
  readonly attentionInvRms: Tensor;
  /** The residual stream between the two blocks. */
  readonly middle: Tensor;
  readonly middleNormed: Tensor;
  readonly middleInvRms: Tensor;
  readonly gate: Tensor;
  readonly up: Tensor;
  readonly activated: Tensor;
  readonly output: Tensor;
}

const inputNorm = "input_layernorm.weight";
const middleNorm = "post_attention_layernorm.weight";

/** Pre-norm residual layer: x + attention(norm(x)), then x + down(silu(gate(norm(x))) * up(norm(x))). */
export function layerForward(model: ModelOnDevice, layer: number, input: Tensor, rows: LayerRows): LayerPass {
  const normed = norm(model, layer, inputNorm, input);
  const attention = attentionForward(model, layer, normed.out, rows);
  const middle = model.kernels.add(keepWanted(model.kernels, input, rows), attention.output);
  const middleNormed = norm(model, layer, middleNorm, middle);
  const { gate, up, activated, down } = feedForward(model, layer, middleNormed.out, rows.dropout);
  return {
    input,
    attention,
    attentionInvRms: normed.invRms,
    middle,
    middleNormed: middleNormed.out,
    middleInvRms: middleNormed.invRms,
    gate,
    up,
    activated,
    output: model.kernels.add(middle, down),
  };
}

export function layerFromCache(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  positions: Tensor,
  cache: KeyValueCache,
  plan: CachePlan,
): Tensor {
  const { kernels } = model;
  const normed = norm(model, layer, inputNorm, input).out;
  const middle = kernels.add(input, attentionFromCache(model, layer, normed, positions, cache, plan));
  return kernels.add(middle, feedForward(model, layer, norm(model, layer, middleNorm, middle).out).down);
}

/** Returns d loss / d input and adds the parameters' gradients. */
export function layerBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  pass: LayerPass,
  rows: LayerRows,
  gradients: Gradients,
): Tensor {
  const { kernels } = model;
  const name = (part: string): string => layerName(layer, part);
  const back = (part: string, dOut: Tensor, x: Tensor): Tensor =>
    projectBackward(model, name(`mlp.${part}_proj`), dOut, x, gradients, rows.dropout);
  const dActivated = back("down", dOutput, pass.activated);
  const { dGate, dUp } = kernels.swiGluBackward(dActivated, pass.gate, pass.up);
  const dMiddleNormed = kernels.add(back("gate", dGate, pass.middleNormed), back("up", dUp, pass.middleNormed));
  const dMiddle = kernels.add(
    dOutput,
    gradients.rmsNorm(model, name(middleNorm), dMiddleNormed, pass.middle, pass.middleInvRms),
  );
  const dNormed = attentionBackward(model, layer, dMiddle, pass.attention, rows, gradients);
  const dThroughNorm = gradients.rmsNorm(model, name(inputNorm), dNormed, pass.input, pass.attentionInvRms);
  return kernels.add(spreadWanted(kernels, dMiddle, rows), dThroughNorm);
}

function norm(model: ModelOnDevice, layer: number, part: string, x: Tensor): { out: Tensor; invRms: Tensor } {
  return model.kernels.rmsNorm(x, parameter(model, layerName(layer, part)), model.config.rmsNormEpsilon);
}

function feedForward(
  model: ModelOnDevice,
  layer: number,
  x: Tensor,
  dropout?: AdapterDropout,
): { readonly gate: Tensor; readonly up: Tensor; readonly activated: Tensor; readonly down: Tensor } {
  const { kernels } = model;
  const through = (part: string, input: Tensor): Tensor =>
    project(model, layerName(layer, `mlp.${part}_proj`), input, dropout);
  const gate = through("gate", x);
  const up = through("up", x);
  const activated = kernels.swiGlu(gate, up);
  return { gate, up, activated, down: through("down", activated) };
}
