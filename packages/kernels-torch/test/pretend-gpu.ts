import { LaconicError } from "@laconic/core";
import { sizeOf } from "@laconic/engine/kernels";
import type { Library } from "../src/native/library.ts";
import { scalarType } from "../src/native/scalar-type.ts";
import { aten, Torch } from "../src/native/torch.ts";
import type { Argument, Handle, Handles, Operator, ResultCount } from "../src/native/torch.ts";

interface Array3 {
  readonly values: Float32Array;
  readonly shape: readonly number[];
}

/**
 * libtorch on the CPU that simulates a GPU: CUDA paths run, with flash attention as plain loops. Other CUDA functions
 * fail as without a GPU.
 */
export class PretendGpu extends Torch {
  readonly #shapes = new Map<Handle, readonly number[]>();

  constructor(library: Library) {
    super({ ...library, emptyPinned: null }, "cpu");
    Object.assign(this, { device: "cuda" });
  }

  override view(x: Handle, shape: readonly number[], strides?: readonly number[], offset?: number): Handle {
    const view = super.view(x, shape, strides, offset);
    this.#shapes.set(view, shape);
    return view;
  }

  override upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    const result = super.upload(values, shape);
    this.#shapes.set(result, shape);
    return result;
  }

  override delete(handle: Handle): void {
    this.#shapes.delete(handle);
    super.delete(handle);
  }

  override call(op: Operator, ...args: readonly Argument[]): Handle {
    if (op.name !== "aten::mm.dtype") return super.call(op, ...args);
    const wide = [args[0], args[1]].map((x) => this.cast(x as Handle, scalarType.float32)) as [Handle, Handle];
    return super.call(aten.mm, ...wide);
  }

  override callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    if (op.name === "aten::_flash_attention_forward") return this.#forward(args) as unknown as Handles<Count>;
    if (op.name === "aten::_flash_attention_backward") return this.#backward(args) as unknown as Handles<Count>;
    return super.callMany(op, ...args);
  }

  #forward(args: readonly Argument[]): readonly Handle[] {
    const [q, k, v] = args.slice(0, 3).map((x) => this.#floats(x as Handle)) as [Array3, Array3, Array3];
    const [rows, heads, width] = q.shape as [number, number, number];
    const out = new Float32Array(q.values.length);
    const sums = new Float32Array(heads * rows);
    const scale = scaleIn(args[10], width);
    const places = this.#pairs(args[3], args[4], argumentIsTrue(args[8]));
    for (let head = 0; head < heads; head++)
      places.forEach(({ row, keys: [first, end] }) => {
        const { own, shares, logSum } = sharesOf(q, k, row, head, first, end, scale);
        sums[head * rows + row] = logSum;
        for (let key = first; key < end; key++)
          for (let c = 0; c < width; c++)
            out[(row * heads + head) * width + c] =
              (out[(row * heads + head) * width + c] as number) + (shares[key - first] as number) * at(v, key, own, c);
      });
    return [
      this.#bfloat16(out, q.shape),
      this.upload(sums, [heads, rows]),
      ...[1, 1].map((n) => this.upload(new BigInt64Array(n), [n])),
      this.upload(new Float32Array(1), [1]),
    ];
  }

  #backward(args: readonly Argument[]): readonly Handle[] {
    const [dOut, q, k, v, out] = args.slice(0, 5).map((x) => this.#floats(x as Handle)) as [
      Array3,
      Array3,
      Array3,
      Array3,
      Array3,
    ];
    const [rows, heads, width] = q.shape as [number, number, number];
    const sums = new Float32Array(heads * rows);
    this.read(args[5] as Handle, [heads, rows], sums);
    const scale = scaleIn(args[14], width);
    const [dQ, dK, dV] = [q, k, v].map(({ values }) => new Float32Array(values.length)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const add = (into: Float32Array, like: Array3, row: number, head: number, c: number, value: number): void => {
      const index = (row * (like.shape[1] as number) + head) * width + c;
      into[index] = (into[index] as number) + value;
    };
    for (let head = 0; head < heads; head++)
      this.#pairs(args[6], args[7], argumentIsTrue(args[11])).forEach(({ row, keys: [first, end] }) => {
        const { own, scores } = sharesOf(q, k, row, head, first, end, scale);
        let along = 0;
        for (let c = 0; c < width; c++) along += at(dOut, row, head, c) * at(out, row, head, c);
        for (let key = first; key < end; key++) {
          const share = Math.exp((scores[key - first] as number) - (sums[head * rows + row] as number));
          let dShare = 0;
          for (let c = 0; c < width; c++) dShare += at(dOut, row, head, c) * at(v, key, own, c);
          const dScore = share * (dShare - along) * scale;
          for (let c = 0; c < width; c++) {
            add(dV, v, key, own, c, share * at(dOut, row, head, c));
            add(dQ, q, row, head, c, dScore * at(k, key, own, c));
            add(dK, k, key, own, c, dScore * at(q, row, head, c));
          }
        }
      });
    return [this.#bfloat16(dQ, q.shape), this.#bfloat16(dK, k.shape), this.#bfloat16(dV, v.shape)];
  }

  /** Each row with its range of keys, [first, end). Causal sequences have as many rows as keys. */
  #pairs(queries: Argument | undefined, keys: Argument | undefined, causal: boolean): readonly Pair[] {
    const [from, to] = [queries, keys].map((x) => this.#integers(x as Argument)) as [Int32Array, Int32Array];
    const pairs: Pair[] = [];
    for (let s = 0; s + 1 < from.length; s++)
      for (let row = from[s] as number; row < (from[s + 1] as number); row++)
        pairs.push({
          row,
          keys: [to[s] as number, causal ? (to[s] as number) + row - (from[s] as number) + 1 : (to[s + 1] as number)],
        });
    return pairs;
  }

  #integers(argument: Argument): Int32Array {
    const handle = (
      argument !== null && typeof argument === "object" && "some" in argument ? argument.some : argument
    ) as Handle;
    const shape = this.#shapeOf(handle);
    const values = new Int32Array(shape[0] as number);
    this.read(handle, shape, values);
    return values;
  }

  #floats(handle: Handle): Array3 {
    const shape = this.#shapeOf(handle);
    const values = new Float32Array(sizeOf(shape));
    this.run(() => {
      this.read(this.cast(super.call(aten.contiguous, handle, { int: 0 }), scalarType.float32), shape, values);
      return [];
    });
    return { values, shape };
  }

  /** @throws LaconicError `engine_failed` for cached keys, which use other attention */
  #shapeOf(handle: Handle): readonly number[] {
    const shape = this.#shapes.get(handle);
    if (!shape) throw new LaconicError("engine_failed", "this attention is not computed here");
    return shape;
  }

  #bfloat16(values: Float32Array, shape: readonly number[]): Handle {
    return this.cast(this.upload(values, shape), scalarType.bfloat16);
  }
}

interface Pair {
  readonly row: number;
  readonly keys: readonly [first: number, end: number];
}

function at({ values, shape }: Array3, row: number, head: number, column: number): number {
  const [, heads, width] = shape as [number, number, number];
  return values[(row * heads + head) * width + column] as number;
}

function sharesOf(
  q: Array3,
  k: Array3,
  row: number,
  head: number,
  first: number,
  end: number,
  scale: number,
): {
  readonly own: number;
  readonly scores: readonly number[];
  readonly shares: readonly number[];
  readonly logSum: number;
} {
  const [, heads, width] = q.shape as [number, number, number];
  const own = Math.floor((head * (k.shape[1] as number)) / heads);
  const scores = Array.from({ length: end - first }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < width; c++) sum += at(q, row, head, c) * at(k, first + i, own, c);
    return sum * scale;
  });
  const most = Math.max(...scores);
  const logSum = most + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0));
  return { own, scores, shares: scores.map((score) => Math.exp(score - logSum)), logSum };
}

/** Default scale: one over the root of the head size. */
function scaleIn(argument: Argument | undefined, width: number): number {
  if (typeof argument !== "object" || argument === null) return 1 / Math.sqrt(width);
  if ("some" in argument) return scaleIn(argument.some, width);
  return (argument as { readonly float: number }).float;
}

function argumentIsTrue(argument: Argument | undefined): boolean {
  return typeof argument === "object" && argument !== null && "bool" in argument && argument.bool;
}
