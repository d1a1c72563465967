/** Sequences of one length that share only their prompts. */
export interface SequenceLengths {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Sequences per prompt. Default 1. */
  readonly repliesPerPrompt?: number;
}

/** Rows with each prompt once. */
export function rowsOf(
  { promptTokens, completionTokens, repliesPerPrompt = 1 }: SequenceLengths,
  sequences: number,
): number {
  return Math.ceil(sequences / repliesPerPrompt) * promptTokens + sequences * completionTokens;
}

/** Max sequences with at most `rows` rows. */
export function sequencesWithin(lengths: SequenceLengths, rows: number): number {
  const { promptTokens, completionTokens, repliesPerPrompt = 1 } = lengths;
  const groups = Math.floor(rows / rowsOf(lengths, repliesPerPrompt));
  const rest = rows - groups * rowsOf(lengths, repliesPerPrompt) - promptTokens;
  return groups * repliesPerPrompt + Math.max(0, Math.floor(rest / completionTokens));
}
