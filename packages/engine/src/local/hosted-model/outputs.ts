import { LaconicError, type ForwardOptions, type TrainingSequence } from "@laconic/core";
import { isOutOfMemory, type Kernels, type Tensor } from "../../kernels/index.ts";
import { forwardPassBytes, trainingPassBytes } from "../../memory/plan-memory.ts";
import type { Dropout } from "../../transformer/dropout.ts";
import { likeliestInPieces, readPieces, type LikeliestPiece } from "../../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../../transformer/model-on-device.ts";
import { ofTokens, packBatch, type PackedBatch } from "../../transformer/packed-batch.ts";
import { predictedFrom, passForward, type Recompute, type HeadPass } from "../../transformer/train-pass.ts";
import { joinValues } from "../../transformer/weight-layout.ts";
import type { HostOutputs } from "./model-types.ts";
import { halve, totalTokens, type MicroBatch } from "./micro-batches.ts";

interface Predicted {
  readonly outputs: Tensor;
  readonly entropy: Tensor | null;
  readonly batch: Pick<PackedBatch, "predictions" | "predictionOffsets" | "forest">;
}

export interface OutputOptions extends ForwardOptions {
  readonly shared: boolean;
  /** Masks of a batch. Default: none. */
  readonly dropout?: (batch: PackedBatch, numbers: readonly number[]) => Dropout | undefined;
}

/**
 * Log-probs and entropies, or values, without gradients. Computes halves if memory is short.
 * @throws LaconicError `device_out_of_memory` if one sequence does not fit
 */
export async function outputsOf(model: ModelOnDevice, micro: MicroBatch, options: OutputOptions): Promise<HostOutputs> {
  try {
    return await outputsAtOnce(model, micro, options);
  } catch (error) {
    return outputsInHalves(model, micro, options, error);
  }
}

/** @throws `reason` if halving cannot help */
export async function outputsInHalves(
  model: ModelOnDevice,
  micro: MicroBatch,
  options: OutputOptions,
  reason: unknown,
): Promise<HostOutputs> {
  const halves = isOutOfMemory(reason) ? halve(micro, options.shared) : null;
  if (!halves) throw reason;
  const [first, second] = [await outputsOf(model, halves[0], options), await outputsOf(model, halves[1], options)];
  const end = first.outputs.length;
  return {
    outputs: joinValues([first.outputs, second.outputs]) as Float64Array,
    entropy: joinValues([first.entropy, second.entropy]) as Float64Array,
    offsets: Int32Array.from([...first.offsets, ...second.offsets.subarray(1).map((offset) => end + offset)]),
    rows: first.rows + second.rows,
    ...(first.atOne && second.atOne && { atOne: [...first.atOne, ...second.atOne] }),
    fitted: Math.max(first.fitted ?? first.rows, second.fitted ?? second.rows),
  };
}

async function outputsAtOnce(model: ModelOnDevice, micro: MicroBatch, options: OutputOptions): Promise<HostOutputs> {
  const { sequences } = micro;
  if (sequences.every(isEmpty))
    return { ...noOutputs(sequences.length), ...(options.topLogProbs !== undefined && { atOne: [] }) };
  const { kernels } = model;
  const { pass, pieces } = passOver(model, micro, options);
  const result = await readPredicted(kernels, pass);
  kernels.free(pass.outputs, ...(pass.entropy ? [pass.entropy] : []));
  if (!pieces) return result;
  const atOne = await readPieces(kernels, pieces);
  return { ...result, atOne: Array.from(pass.batch.predictions, (k) => atOne[k]!) };
}

function passOver(
  model: ModelOnDevice,
  { sequences, numbers }: MicroBatch,
  { topLogProbs, shared, dropout }: OutputOptions,
): { readonly pass: Predicted; readonly pieces: readonly LikeliestPiece[] | null } {
  const { kernels } = model;
  try {
    return kernels.scope(() => {
      const batch = packBatch(kernels, sequences, { shared, width: model.config.hiddenSize });
      const passed = passForward(model, batch, "layer", dropout?.(batch, numbers));
      const { predictions, predictionOffsets, forest, predicted } = passed.batch;
      const pass = { ...predictedBy(passed), batch: { predictions, predictionOffsets, forest } };
      if (topLogProbs === undefined || "values" in passed) return { pass, pieces: null };
      const hidden = predictedFrom(kernels, passed.final.selected, passed.batch);
      return { pass, pieces: likeliestInPieces(model, hidden, predicted, topLogProbs) };
    });
  } catch (error) {
    throw explainOutOfMemory(error, model, sequences, { recompute: null, shared });
  }
}

function predictedBy(pass: HeadPass): Predicted {
  const { batch } = pass;
  return "values" in pass
    ? { outputs: pass.values, entropy: null, batch }
    : { outputs: pass.logProbs, entropy: pass.entropy, batch };
}

export function readOutputs(kernels: Kernels, pass: HeadPass): Promise<HostOutputs> {
  return readPredicted(kernels, predictedBy(pass));
}

async function readPredicted(kernels: Kernels, { outputs, entropy, batch }: Predicted): Promise<HostOutputs> {
  return {
    outputs: ofTokens(batch, await kernels.read(outputs)),
    entropy: entropy ? ofTokens(batch, await kernels.read(entropy)) : new Float64Array(),
    offsets: batch.predictionOffsets,
    rows: batch.forest.tokens.length,
  };
}

export function noOutputs(sequences: number): HostOutputs {
  const none = new Float64Array();
  return { outputs: none, entropy: none, offsets: new Int32Array(sequences + 1), rows: 0 };
}

export function isEmpty({ completionTokens }: TrainingSequence): boolean {
  return completionTokens.length === 0;
}

export function explainOutOfMemory(
  error: unknown,
  { config, adapter, kernels }: ModelOnDevice,
  sequences: readonly TrainingSequence[],
  { recompute, shared }: { readonly recompute: Recompute | null; readonly shared: boolean },
): unknown {
  if (!isOutOfMemory(error)) return error;
  const shape = { dtype: kernels.dtype, lora: adapter?.settings ?? null, shared };
  const bytes = recompute
    ? trainingPassBytes(config, { ...shape, recompute }, sequences)
    : forwardPassBytes(config, shape, sequences);
  const tokens = totalTokens(sequences);
  const what = sequences.length === 1 ? "a sequence" : `${sequences.length} sequences`;
  const advice = recompute === "none" ? `set recompute to "layer", ` : "";
  return new LaconicError(
    "device_out_of_memory",
    `${what} of ${tokens} tokens needs ${bytes} bytes for a ${recompute ? "training" : "forward"} pass, more than the device has left; ${advice}shorten the replies, or use a smaller model (${error.message})`,
    { tokens, bytes, sequences: sequences.length },
    error,
  );
}
