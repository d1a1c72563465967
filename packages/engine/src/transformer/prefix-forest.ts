import type { TrainingSequence } from "@laconic/core";

/**
 * Sequences that begin alike, with each shared beginning once: S segments (runs of tokens without a branch) in N rows. A row
 * is a token that something is predicted from, so the last token of a sequence is one only where another goes on behind it.
 * Depth first, branches in the order of the sequences: equal input gives an equal forest, and sequences that share nothing
 * lie one after the other.
 */
export interface PrefixForest {
  /** Length N. */
  readonly tokens: Int32Array;
  /** Length N: the place of each row in its sequences, from 0. */
  readonly positions: Int32Array;
  /** Length N: the first sequence that passes each row. */
  readonly owners: Int32Array;
  /** Length S + 1: where segments start among the rows. */
  readonly offsets: Int32Array;
  /** Length S: the segment that each continues, -1 for none. */
  readonly parents: Int32Array;
  /** Rows of each sequence. */
  readonly lengths: Int32Array;
  /** The segment in which each sequence ends; -1 for one without rows. */
  readonly ends: Int32Array;
}

/** A run of tokens while the forest grows: from place `from` to `to` of a sequence. */
interface Run {
  sequence: number;
  readonly from: number;
  to: number;
  /** By first token, in the order of the sequences that began them. */
  children: Map<number, Run>;
}

/**
 * The forest of some sequences. One without a completion has no rows: nothing of it is predicted.
 * @param options.shared - false gives every sequence rows of its own
 */
export function prefixForest(
  sequences: readonly TrainingSequence[],
  options: { readonly shared?: boolean } = {},
): PrefixForest {
  const { shared = true } = options;
  const inputs = sequences.map(inputTokens);
  const trees = Array.from({ length: shared ? 1 : inputs.length }, () => new Map<number, Run>());
  const treeOf = (sequence: number): Map<number, Run> => trees[shared ? 0 : sequence] as Map<number, Run>;
  inputs.forEach((_, s) => insert(treeOf(s), inputs, s));

  const segments = new Map<Run, { readonly index: number; readonly parent: number; readonly start: number }>();
  let rows = 0;
  const waiting = trees.flatMap((roots) => [...roots.values()]).map((run) => ({ run, parent: -1 }));
  waiting.reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { run, parent } = next;
    const index = segments.size;
    segments.set(run, { index, parent, start: rows });
    rows += run.to - run.from;
    for (const child of [...run.children.values()].toReversed()) waiting.push({ run: child, parent: index });
  }

  const forest: PrefixForest = {
    tokens: new Int32Array(rows),
    positions: new Int32Array(rows),
    owners: new Int32Array(rows).fill(-1),
    offsets: Int32Array.from([...Array.from(segments.values(), ({ start }) => start), rows]),
    parents: Int32Array.from(segments.values(), ({ parent }) => parent),
    lengths: Int32Array.from(inputs, (input) => input.length),
    ends: new Int32Array(inputs.length).fill(-1),
  };
  inputs.forEach((input, s) => {
    let children = treeOf(s);
    for (let at = 0; at < input.length;) {
      const run = children.get(input[at] as number) as Run;
      const { index, start } = segments.get(run) as { index: number; start: number };
      forest.ends[s] = index;
      for (const end = Math.min(run.to, input.length); at < end; at++) {
        const row = start + at - run.from;
        if (forest.owners[row] !== -1) continue;
        forest.owners[row] = s;
        forest.tokens[row] = input[at] as number;
        forest.positions[row] = at;
      }
      children = run.children;
    }
  });
  return forest;
}

/** The rows of a sequence from place `from` on, in its order. */
export function rowsOfSequence(forest: PrefixForest, sequence: number, from = 0): Int32Array {
  const { positions, offsets, parents, lengths, ends } = forest;
  let end = lengths[sequence] as number;
  const rows = new Int32Array(Math.max(0, end - from));
  for (let s = ends[sequence] as number; end > from; s = parents[s] as number) {
    const start = offsets[s] as number;
    const depth = positions[start] as number;
    for (let at = Math.max(from, depth); at < end; at++) rows[at - from] = start + at - depth;
    end = Math.min(end, depth);
  }
  return rows;
}

/** Follows what is known as far as it goes, and branches off, or goes on, from there. */
function insert(roots: Map<number, Run>, inputs: readonly Int32Array[], sequence: number): void {
  const input = inputs[sequence] as Int32Array;
  let run: Run | null = null;
  let at = 0;
  while (at < input.length) {
    const children: Map<number, Run> = run ? run.children : roots;
    const next = children.get(input[at] as number);
    if (!next) {
      // A run without branches grows: no segment has one child alone.
      if (run && children.size === 0) Object.assign(run, { sequence, to: input.length });
      else children.set(input[at] as number, { sequence, from: at, to: input.length, children: new Map() });
      return;
    }
    const known = inputs[next.sequence] as Int32Array;
    const stop = Math.min(next.to, input.length);
    while (at < stop && known[at] === input[at]) at++;
    if (at < next.to && at < input.length) split(next, at, known[at] as number);
    run = next;
  }
}

function split(run: Run, at: number, token: number): void {
  const { sequence, to, children } = run;
  run.to = at;
  run.children = new Map([[token, { sequence, from: at, to, children }]]);
}

/** Everything of a sequence that something is predicted from. */
function inputTokens({ promptTokens, completionTokens }: TrainingSequence): Int32Array {
  if (completionTokens.length === 0) return new Int32Array();
  const input = new Int32Array(promptTokens.length + completionTokens.length - 1);
  input.set(promptTokens);
  input.set(completionTokens.slice(0, -1), promptTokens.length);
  return input;
}
