import { randomFromSeed } from "@laconic/core";
import {
  roundsWeights,
  type AdamWMoments,
  type CachePlan,
  type Kernels,
  type Precision,
  type RotaryTables,
  type SequenceLayout,
  type Tensor,
} from "../../contract.ts";

export class Bench {
  readonly kernels: Kernels;
  /** Uploaded tensors that must not change. */
  readonly inputs: { readonly label: string; readonly tensor: Tensor; readonly values: Float64Array | Int32Array }[] =
    [];

  constructor(kernels: Kernels) {
    this.kernels = kernels;
  }

  /** Random multiples of 1/64 between -2 and 2, times a power of two: exact in every precision. */
  floats(label: string, shape: readonly number[], powerOfTwo = 1): Tensor {
    const values = randomFloats(label, shape).map((value) => value * powerOfTwo);
    return this.#input(label, values, shape);
  }

  values(label: string, values: readonly number[], shape: readonly number[] = [values.length]): Tensor {
    return this.#input(label, Float64Array.from(values), shape);
  }

  /** {@link floats} allocated like an engine's weight, by `together`. */
  weight(label: string, shape: readonly number[], powerOfTwo = 1): Tensor {
    const values = randomFloats(label, shape).map((value) => value * powerOfTwo);
    const [tensor] = this.kernels.together([shape]) as [Tensor];
    this.kernels.assign([tensor], [this.kernels.upload(values, shape, "full")]);
    this.inputs.push({ label, tensor, values });
    return tensor;
  }

  full(label: string, shape: readonly number[]): Tensor {
    return this.#input(label, randomFloats(label, shape), shape, "full");
  }

  fullValues(label: string, values: readonly number[], shape: readonly number[] = [values.length]): Tensor {
    return this.#input(label, Float64Array.from(values), shape, "full");
  }

  moments(param: Tensor): AdamWMoments {
    const { kernels } = this;
    const zeros = (): Tensor => kernels.zeros(param.shape, "full");
    return {
      first: zeros(),
      second: zeros(),
      ...(roundsWeights(kernels.dtype) && { master: kernels.copy(param, "full") }),
    };
  }

  ints(label: string, values: ArrayLike<number>): Tensor {
    return this.#input(label, Int32Array.from(values), [values.length]);
  }

  state(label: string, shape: readonly number[], precision: Precision = "working"): Tensor {
    return this.kernels.upload(randomFloats(label, shape), shape, precision);
  }

  /** @param parents - parent of each segment, -1 for none. Default: no parents */
  layout(lengths: readonly number[], parents?: readonly number[]): SequenceLayout {
    const offsets = new Int32Array(lengths.length + 1);
    lengths.forEach((length, s) => (offsets[s + 1] = (offsets[s] as number) + length));
    const reach: number[] = [];
    lengths.forEach((length, s) => reach.push(length + (reach[parents?.[s] ?? -1] ?? 0)));
    return {
      offsets,
      offsetsOnDevice: this.ints("offsets", offsets),
      longest: reach.reduce((most, rows) => Math.max(most, rows), 0),
      ...(parents && {
        tree: { parents: Int32Array.from(parents), parentsOnDevice: this.ints("parents", parents) },
      }),
    };
  }

  /** @param pages - pages of each sequence, in order */
  plan(lengths: readonly number[], pages: readonly (number | readonly number[])[], past: readonly number[]): CachePlan {
    const lists = pages.map((page) => (typeof page === "number" ? [page] : page));
    const width = Math.max(0, ...lists.map((list) => list.length));
    const table = Int32Array.from(lists.flatMap((list) => Array.from({ length: width }, (_, i) => list[i] ?? 0)));
    return {
      layout: this.layout(lengths),
      table,
      tableOnDevice: this.#input("table", table, [lists.length, width]),
      past: Int32Array.from(past),
      pastOnDevice: this.ints("past", past),
    };
  }

  rotaryTables(positions: number, headDim: number): RotaryTables {
    const half = headDim / 2;
    const angle = (n: number): number => Math.floor(n / half) * 100 ** (-(n % half) / half);
    const table = (f: (angle: number) => number): Tensor =>
      this.kernels.upload(
        Float64Array.from({ length: positions * half }, (_, n) => f(angle(n))),
        [positions, half],
      );
    return { cos: table(Math.cos), sin: table(Math.sin) };
  }

  #input(
    label: string,
    values: Float64Array | Int32Array,
    shape: readonly number[],
    precision: Precision = "working",
  ): Tensor {
    const tensor = this.kernels.upload(values, shape, precision);
    this.inputs.push({ label, tensor, values });
    return tensor;
  }
}

function randomFloats(label: string, shape: readonly number[]): Float64Array {
  const random = randomFromSeed(label);
  const length = shape.reduce((product, size) => product * size, 1);
  return Float64Array.from({ length }, () => (random.integer(255) - 127) / 64);
}
