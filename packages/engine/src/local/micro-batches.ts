import type { TrainingSequence } from "@laconic/core";

export function sequenceTokens({ promptTokens, completionTokens }: TrainingSequence): number {
  return promptTokens.length + completionTokens.length;
}

export function totalTokens(sequences: readonly TrainingSequence[]): number {
  return sequences.reduce((sum, sequence) => sum + sequenceTokens(sequence), 0);
}

/** Consecutive runs of rows of at most `most` tokens each; a longer single row stands alone. */
export function cut(rows: readonly number[], lengths: readonly number[], most: number): number[][] {
  const parts: number[][] = [];
  let tokens = Infinity;
  for (const row of rows) {
    const length = lengths[row] as number;
    if (tokens + length > most) {
      parts.push([]);
      tokens = 0;
    }
    (parts.at(-1) as number[]).push(row);
    tokens += length;
  }
  return parts;
}

/** Two consecutive halves of about equal tokens, as positions in `lengths`; null when there is nothing to halve. */
export function halve(lengths: readonly number[]): readonly [number[], number[]] | null {
  if (lengths.length < 2) return null;
  const half = lengths.reduce((sum, length) => sum + length, 0) / 2;
  let count = 0;
  for (
    let tokens = 0;
    count < lengths.length - 1 && (count === 0 || tokens + (lengths[count] as number) <= half);
    count++
  )
    tokens += lengths[count] as number;
  const positions = lengths.map((_, position) => position);
  return [positions.slice(0, count), positions.slice(count)];
}
