import type { TrainingSequence } from "@laconic/core";
import { subtreeEnds } from "../../kernels/index.ts";
import { prefixForest, type PrefixForest } from "../../transformer/prefix-forest.ts";

export interface MicroBatchLimits {
  readonly replicas: number;
  /** A single sequence may have more. */
  readonly maxRows: number;
  readonly shared: boolean;
}

interface Branch {
  readonly segment: number;
  readonly sequences: readonly number[];
  readonly path: number;
  readonly rows: number;
}

/**
 * Micro-batches: replica w gets the sequences `rounds[r][w]` in round r. Replicas get consecutive branches with
 * similar work. A branch is split only if it exceeds a micro-batch or half a replica's share. Without shared
 * prefixes, sequences keep their order.
 */
export function microBatches(
  sequences: readonly TrainingSequence[],
  { replicas, maxRows, shared }: MicroBatchLimits,
): number[][][] {
  const forest = prefixForest(sequences, { shared });
  const share = replicas === 1 ? Infinity : Math.ceil(forest.tokens.length / (2 * replicas));
  const branches = branchesOf(forest, Math.min(maxRows, share));
  const shares = dealt(forest, branches, replicas).map((part) =>
    runsOf(forest, part, maxRows).map((run) => run.flatMap((branch) => branch.sequences)),
  );
  const empty = sequences.flatMap((_, s) => (forest.ends[s] === -1 ? [s] : []));
  // Results of empty sequences are empty, not missing.
  if (empty.length > 0) shares[0]![0] = [...(shares[0]?.[0] ?? []), ...empty];
  const count = Math.max(0, ...shares.map((batches) => batches.length));
  return Array.from({ length: count }, (_, round) => shares.map((batches) => batches[round] ?? []));
}

/** Minimizes the max number of rows per replica. */
function dealt(forest: PrefixForest, branches: readonly Branch[], replicas: number): Branch[][] {
  let least = Math.max(1, ...branches.map(({ path, rows }) => path + rows));
  let most = Math.max(least, forest.tokens.length);
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (runsOf(forest, branches, middle).length <= replicas) most = middle;
    else least = middle + 1;
  }
  const runs = runsOf(forest, branches, least);
  return Array.from({ length: replicas }, (_, replica) => runs[replica] ?? []);
}

/** Branches with at most `most` rows, paths included, in row order. */
function branchesOf(forest: PrefixForest, most: number): Branch[] {
  const { offsets, parents, positions, ends } = forest;
  const subtrees = subtreeEnds(parents);
  const members: number[][] = Array.from(parents, () => []);
  ends.forEach((segment, s) => members[segment]?.push(s));
  const branches: Branch[] = [];
  for (let segment = 0; segment < parents.length;) {
    const [start, end] = [offsets[segment]!, subtrees[segment]!];
    const path = positions[start]!;
    const rows = offsets[end]! - start;
    if (end === segment + 1 || path + rows <= most) {
      branches.push({ segment, sequences: members.slice(segment, end).flat(), path, rows });
      segment = end;
      continue;
    }
    const here = members[segment]!;
    const length = offsets[segment + 1]! - start;
    if (here.length > 0) branches.push({ segment, sequences: here, path, rows: length });
    segment += 1;
  }
  return branches;
}

/** Branches with at most `most` rows together, or one larger branch. */
function runsOf(forest: PrefixForest, branches: readonly Branch[], most: number): Branch[][] {
  const runs: Branch[][] = [];
  let rows = Infinity;
  let last: Branch | null = null;
  for (const branch of branches) {
    const passed = last ? Math.min(branch.path, sharedRows(forest, last.segment, branch.segment)) : 0;
    const more = branch.rows + branch.path - passed;
    if (rows + more > most) {
      runs.push([]);
      rows = branch.rows + branch.path;
    } else rows += more;
    runs.at(-1)!.push(branch);
    last = branch;
  }
  return runs;
}

function sharedRows({ parents, offsets, positions }: PrefixForest, a: number, b: number): number {
  let [left, right] = [a, b];
  while (left !== right) {
    if (left > right) left = parents[left]!;
    else right = parents[right]!;
  }
  return left < 0 ? 0 : positions[offsets[left + 1]! - 1]! + 1;
}

export function rowsTogether(sequences: readonly TrainingSequence[], shared: boolean): number {
  return prefixForest(sequences, { shared }).tokens.length;
}

/** Numbers count since the last optimizer step. */
export interface MicroBatch {
  readonly sequences: readonly TrainingSequence[];
  readonly numbers: readonly number[];
}

/** Halves with about equal rows; null for one sequence. */
export function halve(
  { sequences, numbers }: MicroBatch,
  shared: boolean,
): readonly [first: MicroBatch, second: MicroBatch] | null {
  if (sequences.length < 2) return null;
  const { owners } = prefixForest(sequences, { shared });
  const added = new Array<number>(sequences.length).fill(0);
  for (const owner of owners) added[owner] = added[owner]! + 1;
  let count = 0;
  for (let rows = 0; count < added.length - 1 && (count === 0 || rows + added[count]! <= owners.length / 2); count++)
    rows += added[count]!;
  const part = (start: number, end?: number): MicroBatch => ({
    sequences: sequences.slice(start, end),
    numbers: numbers.slice(start, end),
  });
  return [part(0, count), part(count)];
}

export function totalTokens(sequences: readonly TrainingSequence[]): number {
  return sequences.reduce(
    (sum, { promptTokens, completionTokens }) => sum + promptTokens.length + completionTokens.length,
    0,
  );
}
