import { LaconicError } from "@laconic/core";
import { sizeOf } from "@laconic/engine/kernels";
import type { LaunchArgument } from "../programs/launcher.ts";
import type { Library } from "../native/library.ts";
import { scalarType, scalarTypeOf, type ScalarType } from "../native/scalar-type.ts";
import { Torch, type Argument, type Handle, type Handles, type Operator, type ResultCount } from "../native/torch.ts";

/** What work came to on the device. */
export interface Traffic {
  /** Each operation counts once: what is several kernels inside PyTorch is counted as one. */
  launches: number;
  /** Elements read and written, each array once for each operation, in bytes of their type. */
  bytes: number;
}

/** What is known of a tensor that was never computed. */
interface Known {
  readonly shape: readonly number[];
  readonly type: ScalarType;
  readonly contiguous: boolean;
}

const widths: Readonly<Record<ScalarType, number>> = { 3: 4, 4: 8, 6: 4, 7: 8, 11: 1, 15: 2 };
const { float32, int64 } = scalarType;

/** Counts launches and bytes by what each operation reads and writes; shapes follow PyTorch's rules. */
export class CountingTorch extends Torch {
  readonly total: Traffic = { launches: 0, bytes: 0 };
  /** By operator, C function or program. */
  readonly byName: Map<string, Traffic> = new Map();
  readonly #known = new Map<Handle, Known>();
  readonly #addresses = new Map<number, Handle>();

  constructor(library: Library) {
    super(library, "cuda");
  }

  override call(op: Operator, ...args: readonly Argument[]): Handle {
    const result = super.call(op, ...args);
    this.#count(op.name, args, [result]);
    return result;
  }
  override callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    const results = super.callMany(op, ...args);
    this.#count(op.name, args, results);
    return results;
  }
  override add(a: Handle, b: Handle, factor?: number): Handle {
    return this.#made("add", [a, b], super.add(a, b, factor));
  }
  override subtract(a: Handle, b: Handle): Handle {
    return this.#made("subtract", [a, b], super.subtract(a, b));
  }
  override multiplyByNumber(x: Handle, factor: number): Handle {
    return this.#made("multiply by number", [x], super.multiplyByNumber(x, factor));
  }
  override pickColumns(x: Handle, columns: Handle): Handle {
    const result = super.pickColumns(x, columns);
    const { shape, type } = this.#of(x);
    this.#keep(result, [shape[0] as number, this.#of(columns).shape[0] as number], type);
    this.#note("index", [result, result, columns]);
    return result;
  }
  override fill(x: Handle, value: number): void {
    super.fill(x, value);
    this.#note("fill", [x]);
  }
  override mmInto(result: Handle, a: Handle, b: Handle): void {
    super.mmInto(result, a, b);
    this.#note("mm", [result, a, b]);
  }
  override addmmInto(result: Handle, bias: Handle, a: Handle, b: Handle): void {
    super.addmmInto(result, bias, a, b);
    this.#note("addmm", [result, bias, a, b]);
  }
  override bmmInto(result: Handle, a: Handle, b: Handle, factor: number): void {
    super.bmmInto(result, a, b, factor);
    this.#note("bmm", [result, a, b]);
  }
  override scatterInto(x: Handle, index: Handle, values: Handle): void {
    super.scatterInto(x, index, values);
    this.#note("scatter", [values, index, values]);
  }
  override copyInto(into: Handle, from: Handle): void {
    super.copyInto(into, from);
    this.#note("copy", [into, from]);
  }
  override empty(shape: readonly number[], type: ScalarType): Handle {
    return this.#keep(super.empty(shape, type), shape, type);
  }
  override view(x: Handle, shape: readonly number[], strides?: readonly number[], offset = 0): Handle {
    const result = super.view(x, shape, strides, offset);
    const dense = shape.map((_, i) => shape.slice(i + 1).reduce((product, length) => product * length, 1));
    const contiguous = strides?.every((stride, i) => shape[i] === 1 || stride === dense[i]) ?? true;
    return this.#keep(result, shape, this.#of(x).type, contiguous);
  }
  override upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    const result = super.upload(values, shape);
    this.#keep(result, shape, scalarTypeOf(values));
    this.#note("upload", [result]);
    return result;
  }
  override addProduct(...args: Parameters<Torch["addProduct"]>): void {
    super.addProduct(...args);
    const [sum, left, right, { add }] = args;
    this.#note("product", [sum, ...(add ? [sum] : []), left.handle, right.handle]);
  }
  override address(handle: Handle): number {
    // As aligned as an allocator's, and no number that a program is given otherwise.
    const address = 2 ** 44 + 256 * super.address(handle);
    this.#addresses.set(address, handle);
    return address;
  }
  override launch(name: string, blocks: number, threads: number, args: readonly LaunchArgument[]): void {
    super.launch(name, blocks, threads, args);
    const arrays = args.flatMap((argument) => {
      const handle = typeof argument === "number" ? this.#addresses.get(argument) : undefined;
      return handle === undefined ? [] : [handle];
    });
    this.#note(name, arrays);
    this.#addresses.clear();
  }
  override delete(handle: Handle): void {
    super.delete(handle);
    // Numbers of handles are given once: what was known is not asked for again.
    this.#known.delete(handle);
  }

  #of(handle: Handle): Known {
    const known = this.#known.get(handle);
    if (!known) throw new LaconicError("engine_failed", `handle ${handle} has no shape`);
    return known;
  }
  #keep(handle: Handle, shape: readonly number[], type: ScalarType, contiguous = true): Handle {
    this.#known.set(handle, { shape, type, contiguous });
    return handle;
  }
  #made(name: string, from: readonly Handle[], result: Handle): Handle {
    this.#keep(result, broadcast(from.map((each) => this.#of(each).shape)), this.#of(from[0] as Handle).type);
    this.#note(name, [result, ...from]);
    return result;
  }
  #note(name: string, arrays: readonly Handle[]): void {
    const bytes = arrays.reduce((sum, handle) => {
      const { shape, type } = this.#of(handle);
      return sum + widths[type] * sizeOf(shape);
    }, 0);
    const own = this.byName.get(name) ?? { launches: 0, bytes: 0 };
    this.byName.set(name, own);
    for (const count of [own, this.total]) {
      count.launches += 1;
      count.bytes += bytes;
    }
  }

  #count(name: string, args: readonly Argument[], results: readonly Handle[]): void {
    const tensors = args.flatMap(tensorsOf);
    const known = tensors.map((handle) => this.#of(handle));
    const [first] = known;
    const own = known.map(({ shape, type }) => ({ shape, type }));
    // An array that is laid out already is handed back.
    if (name === "aten::contiguous" && first?.contiguous === true) {
      this.#keep(results[0] as Handle, first.shape, first.type);
      return;
    }
    const made = (rules[name] ?? unknownRule(name))(own, args);
    made.forEach(({ shape, type }, i) => this.#keep(results[i] as Handle, shape, type, name !== "aten::transpose.int"));
    if (name === "aten::transpose.int") return;
    const written = changesInPlace(name) ? [] : made.map((_, i) => results[i] as Handle);
    // Of a table only the rows that are named are read, or written.
    const [, index, values] = tensors as [Handle, Handle, Handle?];
    if (name === "aten::index_select" || name === "aten::gather") this.#note(name, [index, ...written, ...written]);
    else if (values !== undefined && (name === "aten::index_copy_" || name === "aten::scatter_add_"))
      this.#note(name, [index, values, values, ...(name === "aten::scatter_add_" ? [values] : [])]);
    else this.#note(name, [...tensors, ...written]);
  }
}

type Sized = Pick<Known, "shape" | "type">;
type Rule = (tensors: readonly Sized[], args: readonly Argument[]) => readonly Sized[];

const alike: Rule = ([x]) => [x as Sized];
/** The last tensor is written. */
const intoLast: Rule = (tensors) => [tensors.at(-1) as Sized];
const together: Rule = (tensors) => [
  { shape: broadcast(tensors.map(({ shape }) => shape)), type: (tensors[0] as Sized).type },
];
const product: Rule = ([a, b], args) => [
  { shape: [a?.shape[0] as number, b?.shape[1] as number], type: typeIn(args) ?? (a as Sized).type },
];
/** Along axes that stay with length 1. */
const reduced: Rule = ([x], args) => {
  const axes = args.flatMap((argument) => intsOf(argument));
  return [{ shape: (x as Sized).shape.map((length, i) => (axes.includes(i) ? 1 : length)), type: (x as Sized).type }];
};
const nothing: Rule = () => [];

/** What each operator of the training passes and the optimiser gives. */
const rules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    ["silu", "neg", "exp", "log", "sigmoid", "sqrt", "rsqrt", "reciprocal", "roll", "contiguous", "exp_"].map(
      (name) => [`aten::${name}`, alike],
    ),
  ),
  ...Object.fromEntries(
    ["mul.Tensor", "maximum", "minimum", "logaddexp", "lerp.Tensor", "eq.Tensor"].map((name) => [
      `aten::${name}`,
      together,
    ]),
  ),
  ...Object.fromEntries(
    ["mul.out", "silu.out", "silu_backward.grad_input", "exp.out", "_log_softmax.out"].map((name) => [
      `aten::${name}`,
      intoLast,
    ]),
  ),
  ...Object.fromEntries(["mul_.Tensor", "index_copy_", "scatter_add_"].map((name) => [`aten::${name}`, alike])),
  "aten::to.dtype": ([x], args) => [{ shape: (x as Sized).shape, type: typeIn(args) as ScalarType }],
  "aten::transpose.int": ([x]) => [{ shape: (x as Sized).shape.toReversed(), type: (x as Sized).type }],
  "aten::mm": product,
  "aten::mm.dtype": product,
  "aten::amax": reduced,
  "aten::sum.dim_IntList": reduced,
  "aten::dot": ([x]) => [{ shape: [], type: (x as Sized).type }],
  "aten::norm_except_dim": ([x]) => [{ shape: [x?.shape[0] as number, 1], type: (x as Sized).type }],
  "aten::index_select": ([x, index], args) => [
    {
      shape: (x as Sized).shape.map((length, i) => (i === intOf(args[1]) ? (index?.shape[0] as number) : length)),
      type: (x as Sized).type,
    },
  ],
  "aten::gather": ([x, index]) => [{ shape: (index as Sized).shape, type: (x as Sized).type }],
  "aten::cat": (parts, args) => {
    const axis = intOf(args[1]);
    const [first] = parts as [Sized];
    const length = parts.reduce((sum, { shape }) => sum + (shape[axis] as number), 0);
    return [{ shape: first.shape.map((each, i) => (i === axis ? length : each)), type: first.type }];
  },
  "aten::_fused_rms_norm": ([x]) => [x as Sized, { shape: [x?.shape[0] as number, 1], type: float32 }],
  "aten::_fused_rms_norm_backward": (tensors) => [tensors[1] as Sized, tensors[3] as Sized],
  "aten::embedding_dense_backward": ([d], args) => [
    { shape: [intOf(args[2]), d?.shape[1] as number], type: (d as Sized).type },
  ],
  "aten::_flash_attention_forward": ([q]) => {
    const [rows, heads] = (q as Sized).shape as [number, number];
    return [q as Sized, { shape: [heads, rows], type: float32 }, ...[[2], []].map((shape) => ({ shape, type: int64 }))];
  },
  "aten::_flash_attention_backward": (tensors) => tensors.slice(1, 4),
  "aten::_fused_adamw_": nothing,
  "aten::_amp_foreach_non_finite_check_and_unscale_": nothing,
};

function unknownRule(name: string): Rule {
  throw new LaconicError("engine_failed", `what ${name} gives is not known: give it a rule in counting-torch.ts`);
}

function changesInPlace(name: string): boolean {
  return /_(?:\.\w+)?$|\.(?:\w+_)?(?:out|grad_input)$/u.test(name);
}

function tensorsOf(argument: Argument): readonly Handle[] {
  if (typeof argument === "number") return [argument];
  if (argument === null) return [];
  if ("tensors" in argument) return argument.tensors;
  return "some" in argument ? tensorsOf(argument.some) : [];
}

function intsOf(argument: Argument): readonly number[] {
  if (argument === null || typeof argument === "number") return [];
  if ("ints" in argument) return argument.ints;
  return "some" in argument ? intsOf(argument.some) : [];
}

function intOf(argument: Argument | undefined): number {
  return (argument as { readonly int: number }).int;
}

function typeIn(args: readonly Argument[]): ScalarType | null {
  for (const argument of args) {
    if (argument !== null && typeof argument === "object" && "type" in argument) return argument.type;
  }
  return null;
}

function broadcast(shapes: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: longest }, (_, i) =>
    Math.max(...shapes.map((shape) => shape[i - longest + shape.length] ?? 1)),
  );
}
