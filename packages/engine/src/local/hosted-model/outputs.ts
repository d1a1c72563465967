import type { ForwardOptions, LogProbsAtOne, TrainingSequence } from "@laconic/core";
import type { Kernels, Tensor } from "../../kernels/index.ts";
import { likeliestInPieces, readPieces, type LikeliestPiece } from "../../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../../transformer/model-on-device.ts";
import { ofTokens, packBatch, type PackedBatch } from "../../transformer/packed-batch.ts";
import { predictedFrom } from "../../transformer/train-pass.ts";
import { passForward, type HeadPass } from "../../transformer/value-pass.ts";
import type { HostOutputs } from "../host/host-values.ts";
import { explainOutOfMemory } from "./training-passes.ts";

interface Predicted {
  readonly outputs: Tensor;
  readonly entropy: Tensor | null;
  readonly batch: Pick<PackedBatch, "predictions" | "predictionOffsets" | "forest">;
}

/**
 * Log-probs and entropies of completions, or values, without gradients.
 * @param options.shared - whether sequences share common prefixes
 * @throws LaconicError `device_out_of_memory`
 */
export async function outputsOf(
  model: ModelOnDevice,
  sequences: readonly TrainingSequence[],
  { topLogProbs, shared }: ForwardOptions & { readonly shared: boolean },
): Promise<HostOutputs> {
  if (sequences.every(isEmpty))
    return { ...noOutputs(sequences.length), ...(topLogProbs !== undefined && { atOne: [] }) };
  const { kernels } = model;
  const { pass, pieces } = passOver(model, sequences, topLogProbs, shared);
  const result = await readPredicted(kernels, pass);
  kernels.free(pass.outputs, ...(pass.entropy ? [pass.entropy] : []));
  if (!pieces) return result;
  const atOne = await readPieces(kernels, pieces);
  return { ...result, atOne: Array.from(pass.batch.predictions, (k) => atOne[k] as LogProbsAtOne) };
}

function passOver(
  model: ModelOnDevice,
  sequences: readonly TrainingSequence[],
  topLogProbs: number | undefined,
  shared: boolean,
): { readonly pass: Predicted; readonly pieces: readonly LikeliestPiece[] | null } {
  const { kernels } = model;
  try {
    return kernels.scope(() => {
      const passed = passForward(
        model,
        packBatch(kernels, sequences, { shared, width: model.config.hiddenSize }),
        "layer",
      );
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
