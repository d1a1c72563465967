import type { Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";
import type { Gradients } from "./gradients.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { scoreName } from "./parameters.ts";
import { predictedFrom, trainBackward, trainForward, trunkBackward, trunkForward } from "./train-pass.ts";
import type { Recompute, TrainPass, TrunkPass } from "./train-pass.ts";

/** Forward pass with a scalar head, saved for the backward pass. */
export interface ValuePass {
  readonly batch: PackedBatch;
  /** Value of the state before each prediction, full precision, [K]. */
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

/** Forward pass with the model's head. */
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

/** @param dOutputs - d loss / d output of each prediction, [K] */
export function passBackward(model: ModelOnDevice, pass: HeadPass, dOutputs: Tensor, gradients: Gradients): void {
  if ("values" in pass) valueBackward(model, pass, dOutputs, gradients);
  else trainBackward(model, pass, dOutputs, gradients);
}
