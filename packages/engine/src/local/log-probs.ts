import type { ForwardOptions, LogProbsAtOne, TrainingSequence } from "@laconic/core";
import type { Kernels } from "@laconic/kernels";
import { likeliestInPieces, readPieces, type LikeliestPiece } from "../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { ofTokens, packBatch, type PackedBatch } from "../transformer/packed-batch.ts";
import { predictedFrom, trainForward, type TrainPass } from "../transformer/train-pass.ts";
import type { HostLogProbs } from "./engine-host.ts";
import { explainOutOfMemory } from "./out-of-memory.ts";

/** What a pass says of its predictions, and whose they are. */
interface Predicted extends Pick<TrainPass, "logProbs" | "entropy"> {
  readonly batch: Pick<PackedBatch, "predictions" | "predictionOffsets" | "forest">;
}

/**
 * Log-probs and entropies of completions, by a forward pass that keeps nothing for a gradient.
 * @param options.shared - whether sequences share the rows of what they begin with
 * @throws LaconicError `device_out_of_memory`
 */
export async function logProbsOf(
  model: ModelOnDevice,
  sequences: readonly TrainingSequence[],
  { topLogProbs, shared }: ForwardOptions & { readonly shared: boolean },
): Promise<HostLogProbs> {
  if (sequences.every(isEmpty))
    return { ...noLogProbs(sequences.length), ...(topLogProbs !== undefined && { atOne: [] }) };
  const { kernels } = model;
  const { pass, pieces } = passOver(model, sequences, topLogProbs, shared);
  const result = await readLogProbs(kernels, pass);
  kernels.free(pass.logProbs, pass.entropy);
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
      const { logProbs, entropy, batch, final } = trainForward(
        model,
        packBatch(kernels, sequences, { shared }),
        "layer",
      );
      const hidden = topLogProbs === undefined ? null : predictedFrom(kernels, final.selected, batch);
      const pieces = hidden && likeliestInPieces(model, hidden, batch.predicted, topLogProbs as number);
      const { predictions, predictionOffsets, forest } = batch;
      return { pass: { logProbs, entropy, batch: { predictions, predictionOffsets, forest } }, pieces };
    });
  } catch (error) {
    throw explainOutOfMemory(error, model, sequences, { recompute: null, shared });
  }
}

export async function readLogProbs(kernels: Kernels, { logProbs, entropy, batch }: Predicted): Promise<HostLogProbs> {
  return {
    logProbs: ofTokens(batch, await kernels.read(logProbs)),
    entropy: ofTokens(batch, await kernels.read(entropy)),
    offsets: batch.predictionOffsets,
    rows: batch.forest.tokens.length,
  };
}

/** Of sequences without completions. */
export function noLogProbs(sequences: number): HostLogProbs {
  const none = new Float64Array();
  return { logProbs: none, entropy: none, offsets: new Int32Array(sequences + 1), rows: 0 };
}

export function isEmpty({ completionTokens }: TrainingSequence): boolean {
  return completionTokens.length === 0;
}
