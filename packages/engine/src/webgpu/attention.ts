import { matrixSize, ancestorRuns, subtreeEnds } from "../kernels/index.ts";
import type { KernelFamily, SegmentTree, SequenceLayout } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import {
  attentionKeyValueGradient,
  attentionQueryGradient,
  attentionStats,
  attentionProgram,
  type AttentionBlocks,
} from "./wgsl/attention.ts";
import { threads } from "./wgsl/program.ts";

/** No scores are stored and no keys are copied. */
export function attentionKernels(device: GpuDevice): KernelFamily<"attention"> {
  const { runner } = device;
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const inputs = { q: device.data(q), k: device.data(k), v: device.data(v) };
      const { result, logSumExp } = device.makeAll({ result: q.shape, logSumExp: [rows, shape.queryHeads] }, () =>
        attentionProgram(inputs, blocksOf(device, layout), shape),
      );
      return { out: result, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads } = shape;
      if (rows === 0) return { dQ: device.blank(q.shape), dK: device.blank(k.shape), dV: device.blank(v.shape) };
      const registry = { out: device.data(out), dOut: device.data(dOut), logSumExp: device.data(logSumExp) };
      const stats = runner.run(attentionStats(registry, shape), [rows, queryHeads, 2]);
      const input = {
        q: device.data(q),
        k: device.data(k),
        v: device.data(v),
        dOut: registry.dOut,
        stats,
        blocks: blocksOf(device, layout),
      };
      const dQ = device.make(q.shape, () => attentionQueryGradient(input, shape));
      const { result, valueGradient } = device.makeAll({ result: k.shape, valueGradient: v.shape }, () =>
        attentionKeyValueGradient(input, shape),
      );
      stats.dispose();
      return { dQ, dK: result, dV: valueGradient };
    },
  };
}

interface Block {
  readonly first: number;
  readonly end: number;
  /** Key rows; the last run ends with the block. */
  readonly runs: readonly ReturnType<typeof ancestorRuns>[number][];
  /** End of the rows that read its keys. */
  readonly readersEnd: number;
}

function blocksOf(device: GpuDevice, layout: SequenceLayout): AttentionBlocks {
  const { offsets, offsetsOnDevice, tree } = layout;
  if (tree) {
    const data = device.deriveIndices(tree.parentsOnDevice, "blocks", () => {
      const readers = readersOf(layout, tree);
      return numbersOf(treeBlocks(layout, readers), readers);
    });
    return { data, count: Math.ceil(offsets.at(-1)! / threads), tree: true };
  }
  const data = device.deriveIndices(offsetsOnDevice, "blocks", () => numbersOf(sequenceBlocks(layout), []));
  return { data, count: data.size / 6, tree: false };
}

function readersOf({ offsets }: SequenceLayout, { parents }: SegmentTree): Int32Array {
  const readers = new Int32Array(offsets.at(-1)!);
  subtreeEnds(parents).forEach((end, s) => readers.fill(offsets[end]!, offsets[s], offsets[s + 1]));
  return readers;
}

/** Blocks never span two sequences. */
function sequenceBlocks({ offsets }: SequenceLayout): Block[] {
  const blocks: Block[] = [];
  for (let s = 0; s + 1 < offsets.length; s++) {
    const [start, readersEnd] = [offsets[s]!, offsets[s + 1]!];
    for (let first = start; first < readersEnd; first += threads) {
      const end = Math.min(first + threads, readersEnd);
      blocks.push({ first, end, runs: [{ start, end }], readersEnd });
    }
  }
  return blocks;
}

/** Short segments: rows read the first row's path and the block, and skip keys outside their paths. */
function treeBlocks(layout: SequenceLayout, readers: Int32Array): Block[] {
  const { offsets } = layout;
  const blocks: Block[] = [];
  let segment = 0;
  for (let first = 0; first < readers.length; first += threads) {
    const end = Math.min(first + threads, readers.length);
    while (offsets[segment + 1]! <= first) segment += 1;
    const runs: { start: number; end: number }[] = [];
    for (const run of ancestorRuns(layout, segment)) {
      const last = runs.at(-1);
      if (last?.end === run.start) last.end = run.end;
      else runs.push({ ...run });
    }
    runs.at(-1)!.end = end;
    const readersEnd = readers.subarray(first, end).reduce((most, reader) => Math.max(most, reader), end);
    blocks.push({ first, end, runs, readersEnd });
  }
  return blocks;
}

function numbersOf(blocks: readonly Block[], readers: ArrayLike<number>): Int32Array {
  let index = 4 * blocks.length + readers.length;
  const heads = blocks.flatMap(({ first, end, runs, readersEnd }) => {
    const begin = index;
    index += 2 * runs.length;
    return [first, end, begin, readersEnd];
  });
  const runs = blocks.flatMap((block) => block.runs.flatMap(({ start, end }) => [start, end]));
  const numbers = new Int32Array(index);
  numbers.set(heads);
  numbers.set(readers, heads.length);
  numbers.set(runs, heads.length + readers.length);
  return numbers;
}
