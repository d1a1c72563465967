import type { TrainingSequence } from "@laconic/core";

/**
 * Sequences with shared prefixes merged: S segments (runs without a branch) in N rows. A row predicts something; a
 * sequence's last token has a row only if another sequence continues it. Depth first, branches in order of the
 * sequences.
 */
export interface PrefixForest {
  /** Length N. */
  readonly tokens: Int32Array;
  /** Length N, from 0. */
  readonly positions: Int32Array;
  /** First sequence through each row, length N. */
  readonly owners: Int32Array;
  /** Length S + 1. */
  readonly offsets: Int32Array;
  /** Length S; -1 for none. */
  readonly parents: Int32Array;
  readonly lengths: Int32Array;
  /** -1 without rows. */
  readonly ends: Int32Array;
}

/** Positions `from` to `to` of a sequence. */
interface Run {
  sequence: number;
  from: number;
  to: number;
  /** Keyed by first token, in order of the sequences. */
  children: Map<number, Run>;
  readonly ending: number[];
  branches: readonly Run[];
  /** Rows of all later runs. */
  readers: number;
  merged: boolean;
}

/** Rows of a pass. */
export interface SegmentCost {
  readonly fixed: number;
  /** Per row after the segment. */
  readonly perReader: number;
}

export interface ForestOptions {
  /** False gives every sequence separate rows. */
  readonly shared?: boolean;
  /** A common prefix above it is not shared. Default: none. */
  readonly cost?: SegmentCost;
}

const noCost: SegmentCost = { fixed: 0, perReader: 0 };

/** Sequences without completion have no rows. */
export function prefixForest(sequences: readonly TrainingSequence[], options: ForestOptions = {}): PrefixForest {
  const { shared = true, cost = noCost } = options;
  const inputs = sequences.map(inputTokens);
  const trees = Array.from({ length: shared ? 1 : inputs.length }, () => new Map<number, Run>());
  inputs.forEach((_, s) => insert(trees[shared ? 0 : s]!, inputs, s));
  const roots = trees.flatMap((tree) => [...tree.values()]);
  const grown = depthFirst(roots, ({ children }) => [...children.values()]);
  for (const { run } of grown.toReversed()) mergeUnlessWorthwhile(run, cost);

  const retained = depthFirst(unmerged(roots), ({ branches }) => branches);
  const starts: number[] = [];
  let rows = 0;
  for (const { run } of retained) {
    starts.push(rows);
    rows += run.to - run.from;
  }
  const forest: PrefixForest = {
    tokens: new Int32Array(rows),
    positions: new Int32Array(rows),
    owners: new Int32Array(rows).fill(-1),
    offsets: Int32Array.from([...starts, rows]),
    parents: Int32Array.from(retained, ({ parent }) => parent),
    lengths: Int32Array.from(inputs, (input) => input.length),
    ends: new Int32Array(inputs.length).fill(-1),
  };
  retained.forEach(({ run }, segment) => run.ending.forEach((s) => (forest.ends[s] = segment)));
  inputs.forEach((input, s) => {
    let position = input.length - 1;
    for (let segment = forest.ends[s]!; segment >= 0; segment = forest.parents[segment]!) {
      const { from } = (retained[segment] as { readonly run: Run }).run;
      for (; position >= from; position--) {
        const row = starts[segment]! + position - from;
        if (forest.owners[row] !== -1) return;
        forest.owners[row] = s;
        forest.tokens[row] = input[position]!;
        forest.positions[row] = position;
      }
    }
  });
  return forest;
}

/** Runs with the index of their parent (-1 for roots). */
function depthFirst(
  roots: readonly Run[],
  childrenOf: (run: Run) => readonly Run[],
): { readonly run: Run; readonly parent: number }[] {
  const order: { readonly run: Run; readonly parent: number }[] = [];
  const waiting = roots.map((run) => ({ run, parent: -1 })).toReversed();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const parent = order.push(next) - 1;
    for (const run of childrenOf(next.run).toReversed()) waiting.push({ run, parent });
  }
  return order;
}

function mergeUnlessWorthwhile(run: Run, { fixed, perReader }: SegmentCost): void {
  run.branches = unmerged([...run.children.values()]);
  run.readers = run.branches.reduce((sum, { from, to, readers }) => sum + to - from + readers, 0);
  const saved = (run.branches.length - 1) * (run.to - run.from);
  run.merged = run.branches.length > 1 && saved < fixed + perReader * run.readers;
  if (!run.merged) return;
  for (const branch of run.branches) branch.from = run.from;
  run.branches[0]?.ending.push(...run.ending);
}

function unmerged(runs: readonly Run[]): readonly Run[] {
  return runs.flatMap((run) => (run.merged ? run.branches : [run]));
}

export function rowsOfSequence(forest: PrefixForest, sequence: number, from = 0): Int32Array {
  const { positions, offsets, parents, lengths, ends } = forest;
  let end = lengths[sequence]!;
  const rows = new Int32Array(Math.max(0, end - from));
  for (let s = ends[sequence]!; end > from; s = parents[s]!) {
    const start = offsets[s]!;
    const depth = positions[start]!;
    for (let index = Math.max(from, depth); index < end; index++) rows[index - from] = start + index - depth;
    end = Math.min(end, depth);
  }
  return rows;
}

function insert(roots: Map<number, Run>, inputs: readonly Int32Array[], sequence: number): void {
  const input = inputs[sequence]!;
  let run: Run | null = null;
  let position = 0;
  while (position < input.length) {
    const children: Map<number, Run> = run ? run.children : roots;
    let next = children.get(input[position]!);
    if (!next && run && children.size === 0) {
      // A run without branches grows, so no segment has a single child.
      Object.assign(run, { sequence, to: input.length });
      break;
    }
    if (!next) {
      next = newRun(sequence, position, input.length);
      children.set(input[position]!, next);
    }
    const tokens = inputs[next.sequence]!;
    const stop = Math.min(next.to, input.length);
    while (position < stop && tokens[position] === input[position]) position++;
    if (position < next.to && position < input.length) split(next, position, inputs);
    run = next;
  }
  run?.ending.push(sequence);
}

/** Sequences longer than `position` end in the second part. */
function split(run: Run, position: number, inputs: readonly Int32Array[]): void {
  const { sequence, to, children, ending } = run;
  const rest = { ...newRun(sequence, position, to), children };
  const beyond = (s: number): boolean => inputs[s]!.length > position;
  rest.ending.push(...ending.filter(beyond));
  ending.splice(0, ending.length, ...ending.filter((s) => !beyond(s)));
  run.to = position;
  run.children = new Map([[inputs[sequence]![position]!, rest]]);
}

function newRun(sequence: number, from: number, to: number): Run {
  return { sequence, from, to, children: new Map(), ending: [], branches: [], readers: 0, merged: false };
}

function inputTokens({ promptTokens, completionTokens }: TrainingSequence): Int32Array {
  if (completionTokens.length === 0) return new Int32Array();
  const input = new Int32Array(promptTokens.length + completionTokens.length - 1);
  input.set(promptTokens);
  input.set(completionTokens.slice(0, -1), promptTokens.length);
  return input;
}
