import type { CachePlan, KeyValueCache, Tensor } from "@laconic/kernels";
import type { Dropout } from "../lora/dropout.ts";
import { attentionBackward, attentionForward, attentionFromCache, type AttentionPass } from "./attention-block.ts";
import type { Gradients } from "./gradients.ts";
import { keepWanted, spreadWanted, type LayerRows } from "./layer-rows.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward } from "./projection.ts";

/** What the backward pass of one feed-forward block needs. */
interface FeedForwardPass {
  /** Already normalised. */
  readonly input: Tensor;
  readonly gate: Tensor;
  readonly up: Tensor;
  readonly activated: Tensor;
}

/** What the backward pass of one layer needs. */
export interface LayerPass {
  readonly input: Tensor;
  readonly inputInvRms: Tensor;
  readonly attention: AttentionPass;
  /** The residual stream between the two blocks. */
  readonly middle: Tensor;
  readonly middleInvRms: Tensor;
  readonly feedForward: FeedForwardPass;
}

const inputNorm = "input_layernorm.weight";
const middleNorm = "post_attention_layernorm.weight";

/** Pre-norm residual layer: x + attention(norm(x)), then x + down(silu(gate(norm(x))) * up(norm(x))). */
export function layerForward(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  rows: LayerRows,
): { readonly output: Tensor; readonly pass: LayerPass } {
  const { kernels } = model;
  const normed = norm(model, layer, inputNorm, input);
  const attention = attentionForward(model, layer, normed.out, rows);
  const middle = kernels.add(keepWanted(kernels, input, rows), attention.output);
  const middleNormed = norm(model, layer, middleNorm, middle);
  const { output: down, pass: feedForward } = feedForwardForward(model, layer, middleNormed.out, rows.dropout);
  return {
    output: kernels.add(middle, down),
    pass: {
      input,
      inputInvRms: normed.invRms,
      attention: attention.pass,
      middle,
      middleInvRms: middleNormed.invRms,
      feedForward,
    },
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
  // Scopes: of a long prompt each intermediate is as large as a layer's weights.
  const mixed = kernels.scope(() =>
    attentionFromCache(model, layer, norm(model, layer, inputNorm, input).out, positions, cache, plan),
  );
  const middle = kernels.add(input, mixed);
  kernels.free(mixed);
  const output = kernels.scope(
    () => feedForwardForward(model, layer, norm(model, layer, middleNorm, middle).out).output,
  );
  return kernels.add(middle, output);
}

/** Returns d loss / d input and adds the gradients of what is trained. */
export function layerBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  pass: LayerPass,
  rows: LayerRows,
  gradients: Gradients,
): Tensor {
  const { kernels } = model;
  const normBackward = (part: string, d: Tensor, x: Tensor, invRms: Tensor): Tensor =>
    gradients.rmsNorm(model, layerName(layer, part), d, x, invRms);
  const dMiddleNormed = feedForwardBackward(model, layer, dOutput, pass.feedForward, gradients, rows.dropout);
  const dMiddle = kernels.add(dOutput, normBackward(middleNorm, dMiddleNormed, pass.middle, pass.middleInvRms));
  const dNormed = attentionBackward(model, layer, dMiddle, pass.attention, rows, gradients);
  const dThroughNorm = normBackward(inputNorm, dNormed, pass.input, pass.inputInvRms);
  return kernels.add(spreadWanted(kernels, dMiddle, rows), dThroughNorm);
}

function norm(model: ModelOnDevice, layer: number, part: string, x: Tensor): { out: Tensor; invRms: Tensor } {
  return model.kernels.rmsNorm(x, parameter(model, layerName(layer, part)), model.config.rmsNormEpsilon);
}

function feedForwardForward(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  dropout?: Dropout,
): { readonly output: Tensor; readonly pass: FeedForwardPass } {
  const through = (part: string, x: Tensor): Tensor => project(model, layerName(layer, `mlp.${part}_proj`), x, dropout);
  const [gate, up] = [through("gate", input), through("up", input)];
  const activated = model.kernels.swiGlu(gate, up);
  return { output: through("down", activated), pass: { input, gate, up, activated } };
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
  const backward = (part: string, d: Tensor, x: Tensor): Tensor =>
    projectBackward(model, layerName(layer, `mlp.${part}_proj`), d, x, gradients, dropout);
  const dActivated = backward("down", dOutput, activated);
  const { dGate, dUp } = kernels.swiGluBackward(dActivated, gate, up);
  const dInput = backward("gate", dGate, input);
  kernels.accumulate(dInput, backward("up", dUp, input));
  return dInput;
}
