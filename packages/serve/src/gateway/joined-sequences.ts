import type { TrainingSequence } from "@laconic/core";

/** Where the completion of a row lies in a joined sequence. */
export interface JoinedSpan {
  /** Index of the joined sequence. */
  readonly sequence: number;
  /** First of its tokens, counted in the joined sequence's completion. */
  readonly start: number;
  readonly length: number;
}

/** Sequences that begin with one another, as one sequence with several trained spans. */
export interface JoinedSequences {
  /** Each goes as far as its longest row; its completion begins with that of the row that begins first. */
  readonly sequences: readonly TrainingSequence[];
  /** Of each row, in the order given. Tokens of a completion outside all spans are read and not trained. */
  readonly spans: readonly JoinedSpan[];
}

/**
 * Joins the turns of a conversation: a row whose prompt and completion another one begins with, token by token and at the
 * same temperature, becomes a span of it. What differs anywhere becomes a sequence of its own, so branches stay apart;
 * what they share is a span of one of them. Log-probs of a span are those of its row, because they depend on what
 * stands before alone.
 */
export function joinSequences(rows: readonly TrainingSequence[]): JoinedSequences {
  const whole = rows.map(({ promptTokens, completionTokens }) => [...promptTokens, ...completionTokens]);
  const order = rows.map((_, row) => row).toSorted((a, b) => compareRows(rows, whole, a, b));
  // What begins another stands right before the first that begins with it, so one look at the neighbour is enough.
  const owners = new Map<number, number>();
  for (let at = order.length - 1; at >= 0; at--) {
    const [row, next] = [order[at] as number, order[at + 1]];
    const joins = next !== undefined && isSame(rows, row, next) && begins(whole[row], whole[next]);
    owners.set(row, joins ? (owners.get(next) as number) : row);
  }
  const members = new Map<number, number[]>(); // in the order of the rows, whatever the sorting
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

/** By temperature, then token by token; a beginning stands before what it begins. */
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
