import type { TrainingSequence } from "@laconic/core";

/** Location of a row's completion in a joined sequence. */
export interface JoinedSpan {
  /** Index of the joined sequence. */
  readonly sequence: number;
  /** First token, as an index into the joined sequence's completion. */
  readonly start: number;
  readonly length: number;
}

/** Joined sequences with several trained spans. */
export interface JoinedSequences {
  /** Each ends with its longest row; its completion starts with the earliest completion of its rows. */
  readonly sequences: readonly TrainingSequence[];
  /** Span of each input row. Tokens outside all spans are context and not trained. */
  readonly spans: readonly JoinedSpan[];
}

/**
 * Joins the turns of a conversation. A row whose prompt and completion are a prefix of another row, at the same
 * temperature, becomes a span of that row. Branches stay separate sequences, and their shared prefix is trained in one
 * of them. Joining does not change a span's log-probs, because they depend only on the tokens before it.
 */
export function joinSequences(rows: readonly TrainingSequence[]): JoinedSequences {
  const whole = rows.map(({ promptTokens, completionTokens }) => [...promptTokens, ...completionTokens]);
  const order = rows.map((_, row) => row).toSorted((a, b) => compareRows(rows, whole, a, b));
  // In sorted order, a prefix comes right before the first row that extends it.
  const owners = new Map<number, number>();
  for (let at = order.length - 1; at >= 0; at--) {
    const [row, next] = [order[at] as number, order[at + 1]];
    const joins = next !== undefined && isSame(rows, row, next) && begins(whole[row], whole[next]);
    owners.set(row, joins ? (owners.get(next) as number) : row);
  }
  const members = new Map<number, number[]>(); // in input order
  rows.forEach((_, row) => {
    const owner = owners.get(row) as number;
    const known = members.get(owner);
    if (known) known.push(row);
    else members.set(owner, [row]);
  });
  const spans: JoinedSpan[] = [];
  const sequences = [...members].map(([owner, own], sequence): TrainingSequence => {
    const first = Math.min(...own.map((row) => promptLength(rows, row)));
    for (const row of own)
      spans[row] = {
        sequence,
        start: promptLength(rows, row) - first,
        length: (rows[row] as TrainingSequence).completionTokens.length,
      };
    const tokens = whole[owner] as number[];
    const { temperature } = rows[owner] as TrainingSequence;
    return {
      promptTokens: tokens.slice(0, first),
      completionTokens: tokens.slice(first),
      ...(temperature !== undefined && { temperature }),
    };
  });
  return { sequences, spans };
}

function promptLength(rows: readonly TrainingSequence[], row: number): number {
  return (rows[row] as TrainingSequence).promptTokens.length;
}

function temperatureOf(rows: readonly TrainingSequence[], row: number): number {
  return (rows[row] as TrainingSequence).temperature ?? 1;
}

function isSame(rows: readonly TrainingSequence[], a: number, b: number): boolean {
  return temperatureOf(rows, a) === temperatureOf(rows, b);
}

/** By temperature, then by tokens; a prefix comes before its extensions. */
function compareRows(
  rows: readonly TrainingSequence[],
  whole: readonly (readonly number[])[],
  a: number,
  b: number,
): number {
  const temperatures = temperatureOf(rows, a) - temperatureOf(rows, b);
  if (temperatures !== 0) return temperatures;
  const [left, right] = [whole[a] as readonly number[], whole[b] as readonly number[]];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) if (left[i] !== right[i]) return (left[i] as number) - (right[i] as number);
  return left.length - right.length || a - b;
}

function begins(beginning: readonly number[] = [], tokens: readonly number[] = []): boolean {
  return beginning.length <= tokens.length && beginning.every((token, i) => token === tokens[i]);
}
