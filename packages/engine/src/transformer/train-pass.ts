import type { Kernels, Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";
import type { Gradients } from "./gradients.ts";
import type { LayerRows } from "./attention-block.ts";
import { layerActivations, layerBackward, layerForward, type LayerPass } from "./layer.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { norm, normBackward, scaledBy, type Normed, type NormPass } from "./norm.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { embeddingName, finalNormName, headName, scoreName } from "./parameters.ts";

/** `layer` keeps only each layer's input and recomputes the rest: less memory, one more forward. */
export type Recompute = "none" | "layer";

export interface TrunkPass {
  readonly batch: PackedBatch;
  /** Or only the input. */
  readonly layers: readonly (LayerPass | Tensor)[];
  readonly final: { readonly norm: NormPass | null; readonly selected: Tensor };
  readonly dropout?: Dropout;
}

export interface TrainPass extends TrunkPass {
  /** Per prediction, [K]. */
  readonly logProbs: Tensor;
  /** Nats, [K]. */
  readonly entropy: Tensor;
  readonly logSumExp: Tensor;
}

export function trainForward(
  model: ModelOnDevice,
  batch: PackedBatch,
  recompute: Recompute = "none",
  dropout?: Dropout,
): TrainPass {
  const { kernels, config } = model;
  const trunk = trunkForward(model, batch, recompute, dropout);
  const head = kernels.headLogProbs(
    predictedFrom(kernels, trunk.final.selected, batch),
    parameter(model, headName(config)),
    batch.targets,
    batch.inverseTemperature,
  );
  return { ...trunk, ...head };
}

/** [N, D] */
export function embed(model: ModelOnDevice, tokens: Tensor): Tensor {
  const rows = model.kernels.gatherRows(parameter(model, embeddingName), tokens);
  return scaledBy(model, rows, model.config.embeddingScale);
}

/** Normalized states, times the scale of logits. */
export function finalNorm(model: ModelOnDevice, x: Tensor): Normed {
  const { out, pass } = norm(model, finalNormName, x);
  return { out: scaledBy(model, out, logitsScale(model)), pass };
}

function logitsScale({ config }: ModelOnDevice): number {
  return config.scalarHead ? 1 : config.logitsScale;
}

function trunkForward(model: ModelOnDevice, batch: PackedBatch, recompute: Recompute, dropout?: Dropout): TrunkPass {
  const { kernels, config } = model;
  const layers: (LayerPass | Tensor)[] = [];
  let x = embed(model, batch.tokens);
  for (let layer = 0; layer < config.layers; layer++) {
    const input = x;
    const rows = rowsOf(model, layer, batch, dropout);
    const saved = kernels.scope(() => {
      const { output, pass } = layerForward(model, layer, input, rows);
      return { output, layer: recompute === "layer" ? input : pass };
    });
    x = saved.output;
    layers.push(saved.layer);
  }
  const { out: selected, pass } = finalNorm(model, x);
  return { batch, layers, final: { norm: pass, selected }, ...(dropout && { dropout }) };
}

export function trainBackward(model: ModelOnDevice, pass: TrainPass, dLogProbs: Tensor, gradients: Gradients): void {
  model.kernels.scope(() => trunkBackward(model, pass, headBackward(model, pass, dLogProbs, gradients), gradients));
}

/** @param dPredicted - [K, D] */
function trunkBackward(model: ModelOnDevice, pass: TrunkPass, dPredicted: Tensor, gradients: Gradients): void {
  const { kernels, config } = model;
  const { batch } = pass;
  kernels.scope(() => {
    let dX = lastNormBackward(model, pass, dPredicted, gradients);
    for (let layer = config.layers - 1; layer >= 0; layer--) {
      const dOutput = dX;
      dX = kernels.scope(() => {
        const rows = rowsOf(model, layer, batch, pass.dropout);
        const saved = pass.layers[layer]!;
        const activations = "attention" in saved ? saved : layerActivations(model, layer, saved, rows).pass;
        return layerBackward(model, layer, dOutput, activations, rows, gradients);
      });
    }
    if (model.adapter === null)
      gradients.write(model, embeddingName, (slot) =>
        kernels.placeRows(slot, scaledBy(model, dX, config.embeddingScale), batch.tokens),
      );
  });
}

/** [K, D]; repeats rows that predict several tokens. */
export function predictedFrom(kernels: Kernels, selected: Tensor, { places }: PackedBatch): Tensor {
  return places ? kernels.gatherRows(selected, places) : selected;
}

/** d loss / d hidden state, [K, D]. */
function headBackward(model: ModelOnDevice, pass: TrainPass, dLogProbs: Tensor, gradients: Gradients): Tensor {
  const { kernels, config } = model;
  const { batch, final, logSumExp } = pass;
  return kernels.scope(() => {
    const headInput = {
      hidden: predictedFrom(kernels, final.selected, batch),
      weight: parameter(model, headName(config)),
      targets: batch.targets,
      inverseTemperature: batch.inverseTemperature,
      logSumExp,
    };
    return gradients.head(model, headName(config), dLogProbs, headInput);
  });
}

/** Returns d loss / d output of the last layer. */
function lastNormBackward(
  model: ModelOnDevice,
  { batch, final }: TrunkPass,
  dPredicted: Tensor,
  gradients: Gradients,
): Tensor {
  const { kernels } = model;
  return kernels.scope(() => {
    const { places, selected } = batch;
    const dHidden = places ? kernels.scatterAddRows(dPredicted, places, selected.length) : dPredicted;
    return normBackward(model, final.norm, scaledBy(model, dHidden, logitsScale(model)), gradients);
  });
}

/** The last layer needs only predicting rows. */
function rowsOf({ config }: ModelOnDevice, layer: number, batch: PackedBatch, dropout?: Dropout): LayerRows {
  const { positions, layout, rows, forest } = batch;
  return {
    positions,
    layout,
    ...(layer === config.layers - 1 && { selected: { rows, of: forest.tokens.length } }),
    ...(dropout && { dropout }),
  };
}

export interface ValuePass {
  readonly batch: PackedBatch;
  /** State before each prediction, full precision, [K]. */
  readonly values: Tensor;
  readonly selected: Tensor;
  /** Null if the layers are frozen. */
  readonly trunk: TrunkPass | null;
}

function valueForward(
  model: ModelOnDevice,
  batch: PackedBatch,
  recompute: Recompute,
  dropout: Dropout | undefined,
): ValuePass {
  const { kernels, trainsHeadAlone = false } = model;
  const trunk = trainsHeadAlone ? null : trunkForward(model, batch, recompute, dropout);
  const selected = trunk?.final.selected ?? kernels.scope(() => trunkForward(model, batch, "layer").final.selected);
  const values = kernels.scope(() => {
    const column = kernels.headLogits(predictedFrom(kernels, selected, batch), parameter(model, scoreName));
    return kernels.reshape(column, [batch.predicted.length]);
  });
  return { batch, values, selected, trunk };
}

function valueBackward(model: ModelOnDevice, pass: ValuePass, dValues: Tensor, gradients: Gradients): void {
  const { kernels } = model;
  const { batch, selected, trunk } = pass;
  kernels.scope(() => {
    const dOut = kernels.copy(kernels.reshape(dValues, [batch.predicted.length, 1]), "working");
    const weight = { name: scoreName, tensor: parameter(model, scoreName) };
    const dPredicted = gradients.linear(model, weight, null, dOut, predictedFrom(kernels, selected, batch));
    if (trunk) trunkBackward(model, trunk, dPredicted, gradients);
  });
}

export type HeadPass = TrainPass | ValuePass;

export function passForward(
  model: ModelOnDevice,
  batch: PackedBatch,
  recompute: Recompute,
  dropout?: Dropout,
): HeadPass {
  return model.config.scalarHead
    ? valueForward(model, batch, recompute, dropout)
    : trainForward(model, batch, recompute, dropout);
}

/** @param dOutputs - [K] */
export function passBackward(model: ModelOnDevice, pass: HeadPass, dOutputs: Tensor, gradients: Gradients): void {
  if ("values" in pass) valueBackward(model, pass, dOutputs, gradients);
  else trainBackward(model, pass, dOutputs, gradients);
}
