/** Sequences of one length that share their prompts and nothing else. */
export interface SequenceLengths {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Sequences to a prompt; 1 by default. */
  readonly repliesPerPrompt?: number;
}

/** Rows that some of them take: every prompt once. */
export function rowsOf(
  { promptTokens, completionTokens, repliesPerPrompt = 1 }: SequenceLengths,
  sequences: number,
): number {
  return Math.ceil(sequences / repliesPerPrompt) * promptTokens + sequences * completionTokens;
}

/** How many of them take at most `rows`. */
export function sequencesWithin(lengths: SequenceLengths, rows: number): number {
  const { promptTokens, completionTokens, repliesPerPrompt = 1 } = lengths;
  const groups = Math.floor(rows / rowsOf(lengths, repliesPerPrompt));
  const rest = rows - groups * rowsOf(lengths, repliesPerPrompt) - promptTokens;
  return groups * repliesPerPrompt + Math.max(0, Math.floor(rest / completionTokens));
}
