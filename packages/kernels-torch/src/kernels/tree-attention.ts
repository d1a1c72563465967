import { subtreeEnds } from "@laconic/engine/kernels";
import type { AttentionShape, BranchCost, SegmentTree, SequenceLayout, Tensor } from "@laconic/engine/kernels";
import { scalarType, type ScalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { DenseAttention, DenseSaved, Rows, DenseSize } from "./dense-attention.ts";

type Forward = Readonly<Record<"q" | "k" | "v", Tensor>>;
type Backward = Forward & Readonly<Record<"dOut" | "out" | "logSumExp", Tensor>>;

export interface TreeAttention {
  forward(tensors: Forward, layout: SequenceLayout, tree: SegmentTree, shape: AttentionShape): Handles<2>;
  backward(tensors: Backward, layout: SequenceLayout, tree: SegmentTree, shape: AttentionShape): Handles<3>;
}

/** Measured on a CPU at hidden sizes 64 and 256. */
export const treeAttentionCost: BranchCost = { callWidth: 512, readerWidth: 14 };

/**
 * Each segment attends to itself, and its descendants attend to it as one block. The full log-sum-exps make each
 * block's gradients exact. The layout fixes the order of sums.
 */
export function treeAttention(device: TorchDevice, dense: DenseAttention): TreeAttention {
  const { torch } = device;
  return {
    forward({ q, k, v }, layout, tree, shape) {
      const places = new TreePlaces(device, layout, tree);
      const [from, keys, values] = [places.source(q), places.source(k), places.source(v)];
      const attend = (level: TreeLevel, name: string): Handles<2> => {
        const parts = level.parts.map((part, i) =>
          dense.forward(
            places.queries(from, part, `${name} ${i}`),
            places.keys(keys, part, `${name} ${i}`),
            places.keys(values, part, `${name} ${i}`),
            part,
            shape,
          ),
        );
        const [mixed, sums] = [0, 1].map((i) =>
          places.packed(
            parts.map((part) => part[i]!),
            level,
            name,
          ),
        ) as [Handle, Handle];
        return [device.widened(mixed), sums];
      };
      const [out, logSumExp] = attend(places.parts.own, "own");
      places.parts.levels.forEach((level, l) => {
        const rows = places.index(`level ${l} rows`, level.rows);
        const [more, sums] = attend(level, `level ${l}`);
        const chosen = (x: Handle): Handle => torch.selectRows(x, rows);
        const [before, sumsBefore] = [chosen(out), chosen(logSumExp)];
        const { queryHeads, headDim } = shape;
        const byHead = (x: Handle, width: number): Handle => torch.view(x, [level.rows.length, queryHeads, width]);
        // exp(a) / (exp(a) + exp(b)).
        const share = byHead(torch.call(aten.sigmoid, torch.subtract(sums, sumsBefore)), 1);
        const merged = torch.call(aten.lerp, byHead(before, headDim), byHead(more, headDim), share);
        const total = torch.call(aten.logAddExp, sumsBefore, sums);
        torch.copyRows(out, rows, torch.view(merged, [level.rows.length, queryHeads * headDim]));
        torch.copyRows(logSumExp, rows, total);
      });
      return [device.rounded(out), logSumExp];
    },

    backward({ dOut, q, k, v, out, logSumExp }, layout, tree, shape) {
      const places = new TreePlaces(device, layout, tree);
      const sources = {
        dOut: places.source(dOut),
        q: places.source(q),
        k: places.source(k),
        v: places.source(v),
        out: places.source(out),
      };
      const sums = places.source(logSumExp, scalarType.float32);
      const gradients = (level: TreeLevel, name: string): readonly Handles<3>[] =>
        level.parts.map((part, i) => {
          const key = `${name} ${i}`;
          const saved: DenseSaved = {
            q: places.queries(sources.q, part, key),
            k: places.keys(sources.k, part, key),
            v: places.keys(sources.v, part, key),
            out: places.queries(sources.out, part, key),
            logSumExp: places.queries(sums, part, key),
          };
          return dense.backward(places.queries(sources.dOut, part, key), saved, part, shape);
        });
      const own = gradients(places.parts.own, "own");
      const wide = (parts: readonly Handles<3>[], i: 0 | 1 | 2): Handle[] =>
        parts.map((part) => device.widened(part[i]));
      const results = ([0, 1, 2] as const).map((i) => places.packed(wide(own, i), places.parts.own, "own"));
      places.parts.levels.forEach((level, l) => {
        const more = gradients(level, `level ${l}`);
        const rows = places.index(`level ${l} rows`, level.rows);
        const keyRows = places.index(`level ${l} keys`, ...level.parts.map((part) => part.keyRows.rows));
        const add = (i: 0 | 1 | 2, index: Handle, delta: Handle): void => {
          const into = results[i]!;
          // Row indices are unique.
          const sum = torch.add(torch.selectRows(into, index), delta);
          torch.copyRows(into, index, sum);
        };
        add(0, rows, places.packed(wide(more, 0), level, `level ${l}`));
        add(1, keyRows, places.joined(wide(more, 1)));
        add(2, keyRows, places.joined(wide(more, 2)));
      });
      return results.map((x) => device.rounded(x)) as unknown as Handles<3>;
    },
  };
}

const cache = new WeakMap<SegmentTree, TreeParts>();

interface Source extends Rows {
  readonly width: number;
}

class TreePlaces {
  readonly parts: TreeParts;
  readonly #device: TorchDevice;
  readonly #tree: SegmentTree;
  readonly #rows: number;

  constructor(device: TorchDevice, layout: SequenceLayout, tree: SegmentTree) {
    this.#device = device;
    this.#tree = tree;
    this.#rows = layout.offsets.at(-1)!;
    const parts = cache.get(tree) ?? treeParts(layout, tree);
    cache.set(tree, parts);
    this.parts = parts;
  }

  /** Adds a zero row for padding. */
  source(x: Tensor, type: ScalarType = this.#device.working): Source {
    const { torch } = this.#device;
    const width = x.shape[1]!;
    const { handle, stride } = this.#device.rows(x);
    const matrix = torch.view(handle, [this.#rows, width], [stride, 1]);
    if (!this.parts.padded) return { handle: matrix, stride, width };
    return { handle: this.joined([matrix, torch.full([1, width], type, 0)]), stride: width, width };
  }

  queries(x: Source, part: TreePart, name: string): Rows {
    return this.#taken(x, part.queryRows, `${name} queries`);
  }

  keys(x: Source, part: TreePart, name: string): Rows {
    return part.causal ? this.queries(x, part, name) : this.#taken(x, part.keyRows, `${name} keys`);
  }

  packed(parts: readonly Handle[], level: TreeLevel, name: string): Handle {
    const joined = this.joined(parts);
    if (level.places === null) return joined;
    return this.#device.torch.selectRows(joined, this.index(`${name} places`, level.places));
  }

  joined(parts: readonly Handle[]): Handle {
    return parts.length === 1 ? parts[0]! : this.#device.torch.cat(parts, 0);
  }

  index(name: string, ...lists: readonly Int32Array[]): Handle {
    const { store, torch } = this.#device;
    return store.derive(store.get(this.#tree.parentsOnDevice), name, () => {
      const values = lists.length === 1 ? lists[0]! : Int32Array.from(lists.flatMap((list) => [...list]));
      return torch.uploadIndices(values, [values.length]);
    });
  }

  #taken(x: Source, { rows, regular }: PartRows, name: string): Rows {
    const { torch } = this.#device;
    const { stride } = x;
    if (regular)
      return { handle: x.handle, stride, offset: regular.first * stride, sequenceStride: regular.step * stride };
    const handle = torch.selectRows(x.handle, this.index(name, rows));
    return { handle, stride: x.width };
  }
}

interface PartRows {
  /** Padding is the index after the last row. */
  readonly rows: Int32Array;
  /** First row and distance of evenly spaced runs, which need no gather. */
  readonly regular: { readonly first: number; readonly step: number } | null;
}

/** Runs of similar length in one call. */
interface TreePart extends DenseSize {
  readonly queryRows: PartRows;
  readonly keyRows: PartRows;
}

/** Parts in which a row attends at most once. */
interface TreeLevel {
  readonly parts: readonly TreePart[];
  /** Attending rows, sorted. */
  readonly rows: Int32Array;
  /** Null if in order. */
  readonly places: Int32Array | null;
}

interface TreeParts {
  readonly own: TreeLevel;
  /** Level l has segments with l ancestors. */
  readonly levels: readonly TreeLevel[];
  readonly padded: boolean;
}

type Run = Readonly<Record<"start" | "length", number>>;

type Block = Readonly<Record<"queries" | "keys", Run>>;

/** Blocks shorter than this share a call with any others. */
const short = 16;

/** Depth-first order makes a segment's descendants one run of rows, which attend to all its keys. */
function treeParts({ offsets }: SequenceLayout, { parents }: SegmentTree): TreeParts {
  const rows = offsets.at(-1)!;
  const ends = subtreeEnds(parents);
  const depths = new Int32Array(parents.length);
  const own: Block[] = [];
  const levels: Block[][] = [];
  parents.forEach((parent, s) => {
    const depth = parent < 0 ? 0 : depths[parent]! + 1;
    depths[s] = depth;
    const [start, end] = [offsets[s]!, offsets[s + 1]!];
    const keys = { start, length: end - start };
    own.push({ queries: keys, keys });
    const behind = { start: end, length: offsets[ends[s]!]! - end };
    if (behind.length > 0) (levels[depth] ??= []).push({ queries: behind, keys });
  });
  const alike = (a: Block, b: Block): boolean => a.queries.length <= Math.max(short, 2 * b.queries.length);
  const causal = levelOf(own, alike, true, rows);
  const across = levels.map((blocks) =>
    levelOf(blocks, (a, b) => a.keys.length === b.keys.length && alike(a, b), false, rows),
  );
  const padded = [causal, ...across].some(({ parts }) => parts.some(({ queryRows }) => queryRows.rows.includes(rows)));
  return { own: causal, levels: across, padded };
}

/** @param together - whether a block may share a call with a shorter one */
function levelOf(
  blocks: readonly Block[],
  together: (longest: Block, next: Block) => boolean,
  causal: boolean,
  rows: number,
): TreeLevel {
  const sorted = blocks.toSorted(
    (a, b) =>
      (causal ? 0 : b.keys.length - a.keys.length) ||
      b.queries.length - a.queries.length ||
      a.queries.start - b.queries.start,
  );
  const groups: Block[][] = [];
  for (const block of sorted) {
    const last = groups.at(-1);
    if (last && together(last[0]!, block)) last.push(block);
    else groups.push([block]);
  }
  const parts = groups.map((group): TreePart => {
    const queries = group[0]!.queries.length;
    const keys = causal ? queries : group[0]!.keys.length;
    const queryRows = rowsOf(group, "queries", queries, rows);
    const keyRows = causal ? queryRows : rowsOf(group, "keys", keys, rows);
    return { sequences: group.length, queries, keys, causal, queryRows, keyRows };
  });
  const placeOf = new Int32Array(rows).fill(-1);
  let before = 0;
  for (const { queryRows } of parts) {
    queryRows.rows.forEach((row, index) => {
      if (row < rows) placeOf[row] = before + index;
    });
    before += queryRows.rows.length;
  }
  const attending = Int32Array.from(placeOf.keys()).filter((row) => placeOf[row] !== -1);
  const places = attending.map((row) => placeOf[row]!);
  const inOrder = places.length === before && places.every((index, i) => index === i);
  return { parts, rows: attending, places: inOrder ? null : places };
}

function rowsOf(blocks: readonly Block[], of: keyof Block, length: number, none: number): PartRows {
  const rows = new Int32Array(blocks.length * length).fill(none);
  blocks.forEach((block, s) => {
    for (let i = 0; i < block[of].length; i++) rows[s * length + i] = block[of].start + i;
  });
  const first = blocks[0]![of].start;
  const step = blocks.length === 1 ? length : blocks[1]![of].start - first;
  const even = blocks.every((block, s) => block[of].length === length && block[of].start === first + s * step);
  return { rows, regular: even && step > 0 ? { first, step } : null };
}
