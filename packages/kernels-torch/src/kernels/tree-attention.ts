import type { AttentionShape, BranchCost, SegmentTree, SequenceLayout, Tensor } from "@laconic/engine/kernels";
import { scalarType, type ScalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { DenseAttention, DenseSaved, Rows } from "./dense-attention.ts";
import { treeParts, type PartRows, type TreeLevel, type TreePart, type TreeParts } from "./tree-layout.ts";

const cat = operator("aten::cat");
const indexCopy = operator("aten::index_copy_");
const indexSelect = operator("aten::index_select");
const logAddExp = operator("aten::logaddexp");
const lerp = operator("aten::lerp", "Tensor");
const sigmoid = operator("aten::sigmoid");

type Forward = Readonly<Record<"q" | "k" | "v", Tensor>>;
type Backward = Forward & Readonly<Record<"dOut" | "out" | "logSumExp", Tensor>>;

/** Attention over segments and what they continue. */
export interface TreeAttention {
  forward(tensors: Forward, layout: SequenceLayout, tree: SegmentTree, shape: AttentionShape): Handles<2>;
  backward(tensors: Backward, layout: SequenceLayout, tree: SegmentTree, shape: AttentionShape): Handles<3>;
}

/** Measured on a CPU by `bench/src/prefix-tree.ts` at hidden sizes 64 and 256. */
export const treeAttentionCost: BranchCost = { callWidth: 512, readerWidth: 14 };

/**
 * Every segment attends to itself, and all that continue a segment attend to it as one block; results are put together by
 * their log-sum-exps. Backward, each block's gradients with the whole log-sum-exps are its exact part of the whole. The
 * order of all sums follows from the layout.
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
            parts.map((part) => part[i] as Handle),
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
        const [before, sumsBefore] = [out, logSumExp].map((x) => torch.call(indexSelect, x, { int: 0 }, rows)) as [
          Handle,
          Handle,
        ];
        const { queryHeads, headDim } = shape;
        const byHead = (x: Handle, width: number): Handle => torch.view(x, [level.rows.length, queryHeads, width]);
        // exp(a) / (exp(a) + exp(b)) is the sigmoid of a - b.
        const share = byHead(torch.call(sigmoid, torch.subtract(sums, sumsBefore)), 1);
        const merged = torch.call(lerp, byHead(before, headDim), byHead(more, headDim), share);
        const total = torch.call(logAddExp, sumsBefore, sums);
        torch.call(indexCopy, out, { int: 0 }, rows, torch.view(merged, [level.rows.length, queryHeads * headDim]));
        torch.call(indexCopy, logSumExp, { int: 0 }, rows, total);
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
          const at = `${name} ${i}`;
          const saved: DenseSaved = {
            q: places.queries(sources.q, part, at),
            k: places.keys(sources.k, part, at),
            v: places.keys(sources.v, part, at),
            out: places.queries(sources.out, part, at),
            logSumExp: places.queries(sums, part, at),
          };
          return dense.backward(places.queries(sources.dOut, part, at), saved, part, shape);
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
          const into = results[i] as Handle;
          // No row is named twice.
          const sum = torch.add(torch.call(indexSelect, into, { int: 0 }, index), delta);
          torch.call(indexCopy, into, { int: 0 }, index, sum);
        };
        add(0, rows, places.packed(wide(more, 0), level, `level ${l}`));
        add(1, keyRows, places.joined(wide(more, 1)));
        add(2, keyRows, places.joined(wide(more, 2)));
      });
      return results.map((x) => device.rounded(x)) as unknown as Handles<3>;
    },
  };
}

const known = new WeakMap<SegmentTree, TreeParts>();

/** A matrix that rows are taken from. */
interface Source extends Rows {
  readonly width: number;
}

/** Rows of a tree's parts, and the way back; what follows from the layout alone is kept with it. */
class TreePlaces {
  readonly parts: TreeParts;
  readonly #device: TorchDevice;
  readonly #tree: SegmentTree;
  readonly #rows: number;

  constructor(device: TorchDevice, layout: SequenceLayout, tree: SegmentTree) {
    this.#device = device;
    this.#tree = tree;
    this.#rows = layout.offsets.at(-1) as number;
    const parts = known.get(tree) ?? treeParts(layout, tree);
    known.set(tree, parts);
    this.parts = parts;
  }

  /** What rows are taken from: with a row of zeros behind the last one where some places have none. */
  source(x: Tensor, type: ScalarType = this.#device.working): Source {
    const { torch } = this.#device;
    const width = x.shape[1] as number;
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

  /** What the parts of a level came to, for its rows in their order. */
  packed(parts: readonly Handle[], level: TreeLevel, name: string): Handle {
    const joined = this.joined(parts);
    if (level.places === null) return joined;
    return this.#device.torch.call(indexSelect, joined, { int: 0 }, this.index(`${name} places`, level.places));
  }

  joined(parts: readonly Handle[]): Handle {
    return parts.length === 1 ? (parts[0] as Handle) : this.#device.torch.call(cat, { tensors: parts }, { int: 0 });
  }

  /** Row numbers on the device. */
  index(name: string, ...lists: readonly Int32Array[]): Handle {
    const { store, torch } = this.#device;
    return store.derive(store.get(this.#tree.parentsOnDevice), name, () => {
      const values =
        lists.length === 1 ? (lists[0] as Int32Array) : Int32Array.from(lists.flatMap((list) => [...list]));
      return torch.uploadIndices(values, [values.length]);
    });
  }

  #taken(x: Source, { rows, regular }: PartRows, name: string): Rows {
    const { torch } = this.#device;
    const { stride } = x;
    if (regular)
      return { handle: x.handle, stride, offset: regular.first * stride, sequenceStride: regular.step * stride };
    const handle = torch.call(indexSelect, x.handle, { int: 0 }, this.index(name, rows));
    return { handle, stride: x.width };
  }
}
