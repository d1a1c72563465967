import { LaconicError, type TrainingSequence } from "@laconic/core";
import type { Kernels, SequenceLayout, Tensor } from "@laconic/kernels";

/** Sequences packed without padding, on the device. */
export interface PackedBatch {
  /** int32 [N]: prompt and completion tokens, but each sequence's last one, which nothing is predicted from. */
  readonly tokens: Tensor;
  /** int32 [N], from 0 in each sequence. */
  readonly positions: Tensor;
  readonly layout: SequenceLayout;
  /** int32 [M]: the rows whose next token is a completion token. */
  readonly rows: Tensor;
  /** int32 [M]: that next token. */
  readonly targets: Tensor;
  /** [M] */
  readonly inverseTemperature: Tensor;
  readonly tokenCount: number;
  /** M. */
  readonly predictionCount: number;
  /** Length S + 1: where each sequence's predictions start among the M. */
  readonly predictionOffsets: Int32Array;
}

/**
 * Packs prompts and completions. A sequence without completion tokens takes no room.
 * @throws LaconicError `input_invalid` when a completion has no prompt token to be predicted from.
 */
export function packBatch(kernels: Kernels, sequences: readonly TrainingSequence[]): PackedBatch {
  const tokens: number[] = [];
  const positions: number[] = [];
  const rows: number[] = [];
  const targets: number[] = [];
  const inverseTemperature: number[] = [];
  const offsets = [0];
  const predictionOffsets = new Int32Array(sequences.length + 1);
  sequences.forEach(({ promptTokens, completionTokens, temperature }, s) => {
    if (completionTokens.length > 0) {
      if (promptTokens.length === 0)
        throw new LaconicError("input_invalid", `sequence ${s}: the prompt is empty`, { sequence: s });
      const all = [...promptTokens, ...completionTokens];
      const start = tokens.length;
      for (let t = 0; t + 1 < all.length; t++) {
        tokens.push(all[t] as number);
        positions.push(t);
        if (t + 1 < promptTokens.length) continue;
        rows.push(start + t);
        targets.push(all[t + 1] as number);
        // Greedy sampling has no distribution; its log-probs are those of temperature 1.
        inverseTemperature.push(1 / (temperature || 1));
      }
      offsets.push(tokens.length);
    }
    predictionOffsets[s + 1] = rows.length;
  });
  const ints = (values: readonly number[]): Tensor => kernels.upload(Int32Array.from(values), [values.length]);
  return {
    tokens: ints(tokens),
    positions: ints(positions),
    layout: sequenceLayout(kernels, offsets),
    rows: ints(rows),
    targets: ints(targets),
    inverseTemperature: kernels.upload(Float64Array.from(inverseTemperature), [rows.length], "full"),
    tokenCount: tokens.length,
    predictionCount: rows.length,
    predictionOffsets,
  };
}

export function sequenceLayout(kernels: Kernels, offsets: ArrayLike<number>): SequenceLayout {
  const host = Int32Array.from(offsets);
  let longest = 0;
  for (let s = 0; s + 1 < host.length; s++) longest = Math.max(longest, (host[s + 1] as number) - (host[s] as number));
  return { offsets: host, offsetsOnDevice: kernels.upload(host, [host.length]), longest };
}
