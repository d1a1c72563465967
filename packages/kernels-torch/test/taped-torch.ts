import { sizeOf } from "@laconic/engine/kernels";
import type { CapturedGraph } from "../src/native/cuda-graphs.ts";
import type { Library } from "../src/native/library.ts";
import {
  operator,
  Torch,
  type Argument,
  type Handle,
  type Handles,
  type Operator,
  type ResultCount,
} from "../src/native/torch.ts";
import type { ScalarType } from "../src/native/scalar-type.ts";

const contiguous = operator("aten::contiguous");
const flashInto = "aten::_flash_attention_forward_no_dropout_inplace";

/**
 * libtorch on the CPU with graphs as a GPU has them: a capture leaves every value outside as it was, and a launch runs each
 * operation again on the memory that it had, whatever the host has come to think since. CUDA's flash attention over caches is computed here, in float32.
 */
export class TapedTorch extends Torch {
  #tape: (() => void)[] | null = null;
  /** Made by the capture that is under way. */
  readonly #inside = new Set<Handle>();
  #before: { readonly target: Handle; readonly copy: Handle }[] = [];
  readonly #shapes = new Map<Handle, readonly number[]>();
  launched = 0;

  constructor(library: Library) {
    // It is asked for by name.
    const shims = new Map(library.shims).set(flashInto, { takes: [], call: () => 1 });
    super({ ...library, shims }, "cpu");
  }

  override capture(body: () => void): CapturedGraph | { readonly refusal: string } {
    const tape: (() => void)[] = [];
    const graphs: Library["graphs"] = {
      apart: (each) => each(),
      capture: (each) => {
        this.#tape = tape;
        try {
          each();
        } finally {
          this.#tape = null;
          for (const { target, copy } of this.#before.splice(0).toReversed()) {
            super.copyInto(target, copy);
            super.delete(copy);
          }
          this.#inside.clear();
        }
        return { graph: 1 };
      },
      launch: () => {
        this.launched += 1;
        for (const again of tape) again();
      },
      destroy: () => undefined,
    };
    const { library } = this;
    Object.assign(this, { library: { ...library, graphs } });
    return super.capture(body);
  }

  override call(op: Operator, ...args: readonly Argument[]): Handle {
    if (op.name === flashInto) return (this.#inPlace(args[0] as Handle, () => this.#flash(args)), args[0] as Handle);
    if (op.name.endsWith("_") || /_\.\w+$/.test(op.name)) this.#keep(args[0] as Handle);
    if (/\.(?:\w+_)?(?:out|grad_input)$/.test(op.name)) this.#keep(args.at(-1) as Handle);
    const result = super.call(op, ...args);
    this.#note(() => [super.call(op, ...args)], [result]);
    return result;
  }

  override callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    const results = super.callMany(op, ...args);
    this.#note(() => super.callMany(op, ...args), results);
    return results;
  }

  override add(a: Handle, b: Handle, factor?: number): Handle {
    const result = super.add(a, b, factor);
    this.#note(() => [super.add(a, b, factor)], [result]);
    return result;
  }

  override subtract(a: Handle, b: Handle): Handle {
    const result = super.subtract(a, b);
    this.#note(() => [super.subtract(a, b)], [result]);
    return result;
  }

  override multiplyByNumber(x: Handle, factor: number): Handle {
    const result = super.multiplyByNumber(x, factor);
    this.#note(() => [super.multiplyByNumber(x, factor)], [result]);
    return result;
  }

  override fill(x: Handle, value: number): void {
    this.#inPlace(x, () => super.fill(x, value));
  }

  override mmInto(result: Handle, a: Handle, b: Handle): void {
    this.#inPlace(result, () => super.mmInto(result, a, b));
  }

  override addmmInto(result: Handle, bias: Handle, a: Handle, b: Handle): void {
    this.#inPlace(result, () => super.addmmInto(result, bias, a, b));
  }

  override scatterInto(x: Handle, index: Handle, values: Handle): void {
    this.#inPlace(x, () => super.scatterInto(x, index, values));
  }

  override copyInto(into: Handle, from: Handle): void {
    this.#inPlace(into, () => super.copyInto(into, from));
  }

  override empty(shape: readonly number[], type: ScalarType): Handle {
    const made = super.empty(shape, type);
    if (this.#tape) this.#inside.add(made);
    return made;
  }

  override upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    const made = super.upload(values, shape);
    this.#shapes.set(made, shape);
    return made;
  }

  override view(x: Handle, shape: readonly number[], strides?: readonly number[], offset?: number): Handle {
    const made = super.view(x, shape, strides, offset);
    this.#shapes.set(made, shape);
    if (this.#inside.has(x)) this.#inside.add(made);
    return made;
  }

  /** Into the memory that the results had. */
  #note(again: () => readonly Handle[], results: readonly Handle[]): void {
    if (!this.#tape) return;
    for (const result of results) this.#inside.add(result);
    this.#tape.push(() => {
      this.run(() => {
        again().forEach((fresh, i) => super.copyInto(results[i] as Handle, fresh));
        return [];
      });
    });
  }

  #inPlace(target: Handle, body: () => void): void {
    this.#keep(target);
    body();
    this.#tape?.push(body);
  }

  /** What a capture writes to outside gets its values back. */
  #keep(target: Handle): void {
    if (!this.#tape || this.#inside.has(target)) return;
    const copy = this.apart(() => super.multiplyByNumber(target, 1));
    this.#before.push({ target, copy });
  }

  #flash(args: readonly Argument[]): void {
    const [out, q, k, v] = args as readonly Handle[] as readonly [Handle, Handle, Handle, Handle];
    const some = (at: number): Handle => (args[at] as { readonly some: Handle }).some;
    const [sequences, tokens] = [this.#shape(some(4))[0] as number, this.#shape(q)[0] as number];
    const [heads, dim] = this.#shape(q).slice(1) as [number, number];
    const kvHeads = this.#shape(k).at(-2) as number;
    const page = this.#shape(k).length === 4 ? (this.#shape(k)[1] as number) : 0;
    const reach = (args[7] as { readonly int: number }).int;
    const count = sequences - 1;
    const offsets = this.#ints(some(4), sequences);
    const starts = this.#ints(some(5), sequences);
    const lengths = this.#ints(some(14), count);
    const table = page > 0 ? this.#ints(some(16), (count * reach) / page) : null;
    const [query, keys, values] = [q, k, v].map((each) => this.#floats(each)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const result = new Float32Array(tokens * heads * dim);
    for (let s = 0; s < count; s++) {
      const [from, to, length] = [offsets[s], offsets[s + 1], lengths[s]] as [number, number, number];
      const line = (position: number): number =>
        table
          ? (table[(s * reach) / page + Math.floor(position / page)] as number) * page + (position % page)
          : (starts[s] as number) + position;
      for (let n = from; n < to; n++)
        for (let h = 0; h < heads; h++) {
          const seen = length - (to - 1 - n);
          const group = Math.floor(h / (heads / kvHeads));
          const at = (position: number): number => (line(position) * kvHeads + group) * dim;
          const row = (n * heads + h) * dim;
          const scores = Array.from({ length: seen }, (_, p) => {
            let sum = 0;
            for (let i = 0; i < dim; i++) sum += (query[row + i] as number) * (keys[at(p) + i] as number);
            return Math.exp(sum / Math.sqrt(dim));
          });
          const total = scores.reduce((sum, score) => sum + score, 0);
          for (let i = 0; i < dim; i++)
            result[row + i] = scores.reduce(
              (sum, score, p) => sum + (score / total) * (values[at(p) + i] as number),
              0,
            );
        }
    }
    this.library.toNative(this.address(out), result, result.byteLength);
  }

  #shape(handle: Handle): readonly number[] {
    return this.#shapes.get(handle) as readonly number[];
  }

  #floats(handle: Handle): Float32Array {
    const values = new Float32Array(sizeOf(this.#shape(handle)));
    this.run(() => {
      const whole = super.call(contiguous, handle, { int: 0 });
      this.library.toHost(values, this.address(whole), values.byteLength);
      return [];
    });
    return values;
  }

  #ints(handle: Handle, count: number): Int32Array {
    const values = new Int32Array(count);
    this.library.toHost(values, this.address(handle), values.byteLength);
    return values;
  }
}
