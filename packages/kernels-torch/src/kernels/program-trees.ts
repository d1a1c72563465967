import {
  subtreeEnds,
  type AttentionShape,
  type Kernels,
  type SegmentTree,
  type SequenceLayout,
  type Tensor,
} from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Argument, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { adoptSums, byRow, flashBackward, flashForward } from "./cuda-attention.ts";
import { scaleOf } from "./dense-attention.ts";

const contiguous = operator("aten::contiguous");
const indexSelect = operator("aten::index_select");

const threads = 256;

/** Rows that attend, or are attended to, in one call. */
interface Places {
  readonly count: number;
  /** Where they follow one another, the first; else all of them. */
  readonly first: number;
  readonly rows: Int32Array | null;
  /** Where each sequence's begin among them, and the longest. */
  readonly offsets: Int32Array;
  readonly longest: number;
}

/** All that continue segments of one depth, and these segments. */
interface Level {
  readonly queries: Places;
  readonly keys: Places;
}

/**
 * Attention over trees of segments on CUDA, by flash attention of sequences of any lengths: every segment to itself in one call,
 * and for each depth all that continue its segments to them in one more. Nothing is padded, and only rows that do not follow one another
 * are gathered. Results go together by our own programs, in the working precision.
 *
 * @param flat - for layouts without a tree, and for heads that the kernel does not take
 */
export function treePrograms(
  device: TorchDevice,
  flat: Pick<Kernels, "attention" | "attentionBackward">,
): Pick<Kernels, "attention" | "attentionBackward"> {
  const { torch, store } = device;
  const fits = ({ headDim }: AttentionShape): boolean => headDim % 8 === 0 && headDim <= 256;
  const kept = (tree: SegmentTree, name: string, make: () => Handle): Handle =>
    store.derive(store.get(tree.parentsOnDevice), name, make);
  /** int64, or none where the rows follow one another. */
  const rowsOnDevice = (tree: SegmentTree, name: string, { rows }: Places): Handle | null =>
    rows && kept(tree, `tree rows ${name}`, () => torch.uploadIndices(rows, [rows.length]));
  const offsetsOnDevice = (tree: SegmentTree, name: string, { offsets }: Places): Handle =>
    kept(tree, `tree offsets ${name}`, () => torch.upload(offsets, [offsets.length]));
  /** Some rows of a matrix of heads, [count, heads, headDim]. */
  const taken = (x: Tensor, heads: number, tree: SegmentTree, name: string, places: Places): Handle => {
    const { handle, stride } = device.rows(x);
    const [total, width] = x.shape as readonly [number, number];
    const shape = [places.count, heads, width / heads];
    const rows = rowsOnDevice(tree, name, places);
    if (rows === null) return torch.view(handle, shape, [stride, width / heads, 1], places.first * stride);
    const matrix = torch.view(handle, [total, width], [stride, 1]);
    return torch.view(torch.call(indexSelect, matrix, { int: 0 }, rows), shape);
  };
  const addRows = (into: Handle, more: Handle, rows: Handle | null, { first, count }: Places, width: number): void =>
    torch.launch("add_rows", Math.ceil((count * width) / 8 / threads), threads, [
      torch.address(into),
      torch.address(more),
      rows === null ? 0 : torch.address(rows),
      first,
      count,
      width,
    ]);

  return {
    attention(q, k, v, shape, layout) {
      const { tree } = layout;
      if (!tree || !fits(shape) || q.shape[0] === 0) return flat.attention(q, k, v, shape, layout);
      const total = q.shape[0] as number;
      const { queryHeads, kvHeads, headDim } = shape;
      const { own, levels } = levelsOf(layout, tree);
      const [out, view, sums] = torch.run<readonly Handle[]>(() => {
        const attend = (queries: Places, keys: Places, name: string, causal: boolean): readonly [Handle, Handle] => {
          const [mixed, logSums] = torch.callMany(
            flashForward,
            taken(q, queryHeads, tree, `${name} queries`, queries),
            taken(k, kvHeads, tree, `${name} keys`, keys),
            taken(v, kvHeads, tree, `${name} keys`, keys),
            { some: offsetsOnDevice(tree, `${name} queries`, queries) },
            { some: offsetsOnDevice(tree, `${name} keys`, keys) },
            ...([{ int: queries.longest }, { int: keys.longest }, { float: 0 }, { bool: causal }] as const),
            ...([{ bool: false }, scaleOf(shape), null, null, null, null, null, null] as readonly Argument[]),
          );
          return [torch.call(contiguous, mixed, { int: 0 }), logSums];
        };
        const [mixed, logSums] = attend(own, own, "own", true);
        levels.forEach(({ queries, keys }, l) => {
          const [more, moreSums] = attend(queries, keys, `level ${l}`, false);
          const rows = rowsOnDevice(tree, `level ${l} queries`, queries);
          torch.launch("join_attention", queries.count, threads, [
            ...[mixed, logSums, more, moreSums].map((each) => torch.address(each)),
            rows === null ? 0 : torch.address(rows),
            queries.first,
            queries.count,
            total,
            queryHeads,
            headDim,
          ]);
        });
        return [torch.view(mixed, q.shape), byRow(torch, logSums, queryHeads, total), logSums];
      }) as [Handle, Handle, Handle];
      const logSumExp = adoptSums(store, view, [total, queryHeads]);
      store.attach(logSumExp, "flash raw", sums);
      return { out: store.adoptFloats(out, q.shape), logSumExp };
    },

    // With the log-sum-exps of the whole, each part's gradients are its exact share of the whole's.
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const { tree } = layout;
      if (!tree || !fits(shape) || q.shape[0] === 0)
        return flat.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
      const total = q.shape[0] as number;
      const { queryHeads, kvHeads } = shape;
      const { own, levels } = levelsOf(layout, tree);
      const sums = store.attached(store.get(logSumExp), "flash raw");
      const gradients = torch.run<readonly Handle[]>(() => {
        const sumsOf = ({ count, first }: Places, rows: Handle | null): Handle => {
          if (count === total) return sums;
          if (rows !== null) return torch.call(indexSelect, sums, { int: 1 }, rows);
          return torch.call(contiguous, torch.view(sums, [queryHeads, count], [total, 1], first), { int: 0 });
        };
        const partOf = (queries: Places, keys: Places, name: string, causal: boolean): readonly Handle[] => {
          const ofQueries = (x: Tensor): Handle => taken(x, queryHeads, tree, `${name} queries`, queries);
          const ofKeys = (x: Tensor): Handle => taken(x, kvHeads, tree, `${name} keys`, keys);
          const parts = torch.callMany(
            flashBackward,
            ofQueries(dOut),
            ofQueries(q),
            ofKeys(k),
            ofKeys(v),
            ofQueries(out),
            sumsOf(queries, rowsOnDevice(tree, `${name} queries`, queries)),
            offsetsOnDevice(tree, `${name} queries`, queries),
            offsetsOnDevice(tree, `${name} keys`, keys),
            ...([{ int: queries.longest }, { int: keys.longest }, { float: 0 }, { bool: causal }] as const),
            // Nothing is dropped, so nothing is drawn: what the forward pass returns of its random state is not read.
            device.number(0, [2], scalarType.int64),
            device.number(0, [], scalarType.int64),
            ...([scaleOf(shape), null, null] as readonly Argument[]),
          );
          return parts.map((each) => torch.call(contiguous, each, { int: 0 }));
        };
        const results = partOf(own, own, "own", true);
        levels.forEach(({ queries, keys }, l) => {
          const more = partOf(queries, keys, `level ${l}`, false);
          [queries, keys, keys].forEach((places, i) => {
            const rows = rowsOnDevice(tree, `level ${l} ${i === 0 ? "queries" : "keys"}`, places);
            const width = (i === 0 ? queryHeads : kvHeads) * shape.headDim;
            addRows(results[i] as Handle, more[i] as Handle, rows, places, width);
          });
        });
        return results.map((each, i) => torch.view(each, ([q, k, v] as const)[i]?.shape as readonly number[]));
      });
      const [dQ, dK, dV] = [q, k, v].map(({ shape: size }, i) =>
        store.adoptFloats(gradients[i] as Handle, size),
      ) as readonly Tensor[] as readonly [Tensor, Tensor, Tensor];
      return { dQ, dK, dV };
    },
  };
}

interface TreeLevels {
  readonly own: Places;
  readonly levels: readonly Level[];
}

const known = new WeakMap<SegmentTree, TreeLevels>();

/** Segments lie depth first: what continues one is a single run of rows behind it. */
function levelsOf({ offsets }: SequenceLayout, tree: SegmentTree): TreeLevels {
  const before = known.get(tree);
  if (before) return before;
  const ends = subtreeEnds(tree.parents);
  const depths = new Int32Array(tree.parents.length);
  const segments: Run[] = [];
  const levels: { readonly queries: Run[]; readonly keys: Run[] }[] = [];
  tree.parents.forEach((parent, s) => {
    const depth = parent < 0 ? 0 : (depths[parent] as number) + 1;
    depths[s] = depth;
    const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
    const last = offsets[ends[s] as number] as number;
    segments.push([start, end]);
    if (last === end) return;
    const level = (levels[depth] ??= { queries: [], keys: [] });
    level.queries.push([end, last]);
    level.keys.push([start, end]);
  });
  const made = {
    own: placesOf(segments),
    levels: levels.map(({ queries, keys }) => ({ queries: placesOf(queries), keys: placesOf(keys) })),
  };
  known.set(tree, made);
  return made;
}

type Run = readonly [start: number, end: number];

function placesOf(runs: readonly Run[]): Places {
  const offsets = new Int32Array(runs.length + 1);
  runs.forEach(([start, end], i) => (offsets[i + 1] = (offsets[i] as number) + end - start));
  const follow = runs.every(([start], i) => i === 0 || start === runs[i - 1]?.[1]);
  return {
    count: offsets.at(-1) as number,
    first: runs[0]?.[0] ?? 0,
    rows: follow
      ? null
      : Int32Array.from(runs.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i))),
    offsets,
    longest: Math.max(0, ...runs.map(([start, end]) => end - start)),
  };
}
