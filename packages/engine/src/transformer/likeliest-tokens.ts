import type { LogProbsAtOne } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { headName } from "./parameters.ts";

/** logProbs [B], topTokens [B, count], topLogProbs [B, count]. */
export type LikeliestPiece = ReturnType<Kernels["tokenLogProbs"]>;

/** All rows may not fit in memory. */
const rowsAtOnce = 128;

/**
 * Log-probs at temperature 1 of predicted tokens [K] and the `count` likeliest.
 * @param hidden - [K, D], normalized
 */
export function likeliestInPieces(
  model: ModelOnDevice,
  hidden: Tensor,
  targets: Int32Array,
  count: number,
): LikeliestPiece[] {
  const { kernels, config } = model;
  const pieces: LikeliestPiece[] = [];
  for (let start = 0; start < targets.length; start += rowsAtOnce) {
    const tokens = targets.subarray(start, start + rowsAtOnce);
    const rows = Int32Array.from(tokens, (_, i) => start + i);
    pieces.push(
      kernels.scope(() => {
        const part = kernels.gatherRows(hidden, kernels.upload(rows, [rows.length]));
        const logits = kernels.headLogits(part, parameter(model, headName(config)));
        const of = kernels.upload(Int32Array.from(tokens), [tokens.length]);
        return kernels.tokenLogProbs(logits, of, Math.min(count, config.vocabularySize));
      }),
    );
  }
  return pieces;
}

/** Reads and frees the pieces. */
export async function readPieces(kernels: Kernels, pieces: readonly LikeliestPiece[]): Promise<LogProbsAtOne[]> {
  const rows: LogProbsAtOne[] = [];
  for (const { logProbs, topTokens, topLogProbs } of pieces) {
    const width = topTokens.shape[1]!;
    const [chosen, tokens, ofTokens] = await Promise.all([
      kernels.read(logProbs),
      kernels.read(topTokens),
      kernels.read(topLogProbs),
    ]);
    kernels.free(logProbs, topTokens, topLogProbs);
    for (let row = 0; row < chosen.length; row++)
      rows.push({
        logProb: chosen[row]!,
        top: Array.from({ length: width }, (_, i) => ({
          token: tokens[row * width + i]!,
          logProb: ofTokens[row * width + i]!,
        })),
      });
  }
  return rows;
}
