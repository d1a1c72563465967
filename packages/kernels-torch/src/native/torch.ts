import { LaconicError } from "@laconic/core";
import type { Library } from "./library.ts";
import { cString, Slots } from "./native-memory.ts";
import { bytesOf, scalarType, type ScalarType } from "./scalar-type.ts";

/** Address of an at::Tensor on torch's heap: one owned reference. */
export type Handle = number;

/** An argument of an operator by its schema type. A plain number is a borrowed tensor handle. */
export type Argument =
  | Handle
  | { readonly int: number }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly type: ScalarType }
  /** None is negative. */
  | { readonly ints: readonly number[] }
  | { readonly tensors: readonly Handle[] }
  /** An optional argument that is given. */
  | { readonly some: Argument }
  /** An optional argument that is not. */
  | null;

/** An operator of the dispatcher, its name resolved once. */
export interface Operator<Count extends ResultCount = 1> {
  readonly name: string;
  readonly nameAddress: number;
  readonly overloadAddress: number;
  readonly results: Count;
}

export type ResultCount = 0 | 1 | 2 | 3 | 5;

/** As many handles as an operator returns. */
export type Handles<Count extends ResultCount> = [
  readonly [],
  readonly [Handle],
  readonly [Handle, Handle],
  readonly [Handle, Handle, Handle],
  never,
  readonly [Handle, Handle, Handle, Handle, Handle],
][Count];

const known = new Map<string, Operator<ResultCount>>();

/** Every operator that the loaded kernels call, so that a check can hold them against PyTorch's own list. */
export function knownOperators(): readonly Operator<ResultCount>[] {
  return [...known.values()];
}

/** `operator("aten::max", "dim", 2)` returns two tensors. */
export function operator(name: string, overload?: string): Operator;
export function operator<Count extends ResultCount>(name: string, overload: string, results: Count): Operator<Count>;
export function operator(name: string, overload = "", results: ResultCount = 1): Operator<ResultCount> {
  const made = {
    name: overload === "" ? name : `${name}.${overload}`,
    nameAddress: cString(name),
    overloadAddress: cString(overload),
    results,
  };
  known.set(made.name, made);
  return made;
}

const argumentSlots = 64;
const out = { address: argumentSlots, second: argumentSlots + 1 } as const;
const sizesAt = argumentSlots + 8;
const stridesAt = sizesAt + 8;

/** Below it a product takes some 20 microseconds on one core. */
const smallWork = 2 ** 20;

const toDtype = operator("aten::to", "dtype");

/**
 * Calls into libtorch on one thread. Whatever a call returns belongs to the innermost {@link run} and is deleted at its
 * end, unless it is the result: kernels free nothing by hand.
 */
export class Torch {
  readonly library: Library;
  readonly device: "cpu" | "cuda";
  readonly #deviceType: number;
  readonly #slots = new Slots(stridesAt + 8);
  /** Handles made by the running kernels, innermost last. */
  readonly #temporaries: Handle[] = [];
  #depth = 0;
  #live = 0;
  #threads = 0;

  constructor(library: Library, device: "cpu" | "cuda") {
    this.library = library;
    this.device = device;
    this.#deviceType = device === "cpu" ? 0 : 1;
    library.functions.setGradMode(false);
  }

  /** Runs a kernel; of the handles made inside, those in the result survive and belong to the caller. */
  run<T extends Handle | readonly Handle[]>(body: () => T): T {
    const start = this.#temporaries.length;
    this.#depth += 1;
    let kept: readonly Handle[] = [];
    try {
      const result = body();
      kept = typeof result === "number" ? [result] : result;
      return result;
    } finally {
      this.#depth -= 1;
      this.#release(start, kept);
    }
  }

  /** Like {@link run}, but the result belongs to nobody: the caller deletes it. */
  apart(body: () => Handle): Handle {
    const depth = this.#depth;
    this.#depth = 0;
    try {
      return this.run(body);
    } finally {
      this.#depth = depth;
    }
  }

  /** Calls an operator with one result through the dispatcher. */
  call(op: Operator, ...args: readonly Argument[]): Handle {
    this.#dispatch(op, args);
    return this.#made(this.#slots.integer(0));
  }

  /** Calls an operator with any number of results through the dispatcher. */
  callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    this.#dispatch(op, args);
    const results: Handle[] = [];
    for (let i = 0; i < op.results; i++) results.push(this.#slots.integer(i));
    for (const handle of results) this.#made(handle);
    return results as unknown as Handles<Count>;
  }

  /** a + factor * b. */
  add(a: Handle, b: Handle, factor = 1): Handle {
    return this.#shim("add", a, b, factor);
  }

  subtract(a: Handle, b: Handle): Handle {
    return this.#shim("subtract", a, b, 1);
  }

  multiplyByNumber(x: Handle, factor: number): Handle {
    return this.#shim("multiplyByNumber", x, factor);
  }

  fill(x: Handle, value: number): void {
    this.#check(this.library.functions.fill(x, value), "fill_");
  }

  /** out = a b, for matrices. */
  mmInto(result: Handle, a: Handle, b: Handle): void {
    this.#check(this.library.functions.mmOut(result, a, b), "mm");
  }

  /** out = bias + a b, for matrices and a row. */
  addmmInto(result: Handle, bias: Handle, a: Handle, b: Handle): void {
    this.#check(this.library.functions.addmmOut(result, bias, a, b, 1, 1), "addmm");
  }

  /** Not initialised. */
  empty(shape: readonly number[], type: ScalarType, onHost = false): Handle {
    this.#writeShape(shape);
    const { address } = this.#slots;
    const status = this.library.functions.emptyStrided(
      shape.length,
      address + 8 * sizesAt,
      address + 8 * stridesAt,
      type,
      onHost ? 0 : this.#deviceType,
      onHost || this.device === "cpu" ? -1 : this.library.index,
      address + 8 * out.address,
    );
    return this.#result(status, "empty_strided");
  }

  full(shape: readonly number[], type: ScalarType, value: number): Handle {
    const result = this.empty(shape, type);
    if (shape.every((length) => length > 0)) this.fill(result, value);
    return result;
  }

  /** The same memory under other sizes; contiguous from its first element, unless strides and an offset in elements are given. */
  view(x: Handle, shape: readonly number[], strides?: readonly number[], offset = 0): Handle {
    this.#writeShape(shape, strides);
    const { address } = this.#slots;
    const status = this.library.functions.reinterpret(
      x,
      shape.length,
      address + 8 * sizesAt,
      address + 8 * stridesAt,
      offset,
      address + 8 * out.address,
    );
    return this.#result(status, "view");
  }

  cast(x: Handle, type: ScalarType, copy = false): Handle {
    return this.call(toDtype, x, { type }, { bool: false }, { bool: copy }, null);
  }

  /** into = from, between any types and devices. */
  copyInto(into: Handle, from: Handle): void {
    this.#check(this.library.functions.copyInto(into, from, 0), "copy_");
  }

  upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    const type = typeOf(values);
    return this.run(() => {
      const host = this.empty(shape, type, true);
      if (values.length > 0) this.library.toNative(this.#dataPointer(host), values, values.byteLength);
      if (this.device === "cpu") return host;
      const result = this.empty(shape, type);
      this.copyInto(result, host);
      return result;
    });
  }

  /** Whole numbers from 0 as int64: what torch indexes with. */
  uploadIndices(values: Float64Array | Int32Array, shape: readonly number[]): Handle {
    // Two 32-bit words each, little-endian: an array of BigInt is ten times slower to fill.
    const words = new Int32Array(2 * values.length);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      words[2 * i] = value;
      words[2 * i + 1] = Math.floor(value / 2 ** 32);
    }
    return this.upload(new BigInt64Array(words.buffer), shape);
  }

  /** Waits for the device. The tensor must be contiguous. */
  read(x: Handle, shape: readonly number[], into: Float32Array | Int32Array): void {
    const type = typeOf(into);
    this.run(() => {
      let source = x;
      if (this.device === "cuda") {
        source = this.empty(shape, type, true);
        this.copyInto(source, x);
      }
      if (into.length > 0) this.library.toHost(into, this.#dataPointer(source), into.length * bytesOf[type]);
      return [];
    });
  }

  /**
   * Says how many multiplications the next product has: around small ones an operation costs less on one thread than the
   * threads' meeting.
   */
  expectWork(multiplications: number): void {
    const { setThreads, threads } = this.library;
    const wanted = multiplications < smallWork ? 1 : threads;
    if (setThreads === null || wanted === this.#threads) return;
    setThreads(wanted);
    this.#threads = wanted;
  }

  delete(handle: Handle): void {
    this.#live -= 1;
    this.library.functions.deleteHandle(handle);
  }

  /** Handles made and not deleted, for leak tests. */
  get liveHandles(): number {
    return this.#live;
  }

  #dispatch(op: Operator<ResultCount>, args: readonly Argument[]): void {
    const slots = this.#slots;
    for (let i = 0; i < args.length; i++) this.#place(i, args[i] as Argument);
    const { callDispatcher } = this.library.functions;
    const status = callDispatcher(op.nameAddress, op.overloadAddress, slots.address, this.library.abiVersion);
    // What torch consumed before it failed is unknown, so nothing is freed here: a leak is better than a double free.
    this.#check(status, op.name);
  }

  /** Writes one argument; tensors, lists and optionals are consumed by the call, so each gets a reference of its own. */
  #place(slot: number, argument: Argument): void {
    const slots = this.#slots;
    if (argument === null) slots.setInteger(slot, 0);
    else if (typeof argument === "number") slots.setInteger(slot, this.#duplicate(argument));
    else if ("int" in argument) slots.setInteger(slot, argument.int);
    else if ("float" in argument) slots.setDouble(slot, argument.float);
    else if ("bool" in argument) slots.setInteger(slot, argument.bool ? 1 : 0);
    else if ("type" in argument) slots.setInteger(slot, argument.type);
    else if ("ints" in argument) slots.setInteger(slot, this.#list(argument.ints.map((int) => ({ int }))));
    else if ("tensors" in argument) slots.setInteger(slot, this.#list(argument.tensors));
    else slots.setInteger(slot, this.#optional(argument.some));
  }

  #list(items: readonly Argument[]): number {
    const { newList, pushBack } = this.library.functions;
    const slots = this.#slots;
    this.#check(newList(items.length, slots.addressOf(out.address)), "new list");
    const list = slots.integer(out.address);
    for (const item of items) {
      this.#place(out.second, item);
      this.#check(pushBack(list, slots.integer(out.second)), "list");
    }
    return list;
  }

  #optional(inner: Argument): number {
    const { newSlot, malloc, toNative } = this.library;
    this.#place(out.second, inner);
    let target: number;
    if (newSlot) {
      this.#check(newSlot(this.#slots.addressOf(out.address)), "new slot");
      target = this.#slots.integer(out.address);
    } else {
      // Before 2.13 torch frees the block with C++ delete, which ends in free.
      target = malloc(8);
    }
    toNative(target, this.#slots.bytes(out.second), 8);
    return target;
  }

  #duplicate(handle: Handle): Handle {
    const slots = this.#slots;
    this.#check(this.library.functions.newHandle(handle, slots.addressOf(out.address)), "new handle");
    return slots.integer(out.address);
  }

  #dataPointer(handle: Handle): number {
    this.#check(this.library.functions.dataPointer(handle, this.#slots.addressOf(out.address)), "data pointer");
    return this.#slots.integer(out.address);
  }

  #shim(name: "add" | "subtract" | "multiplyByNumber", ...args: readonly number[]): Handle {
    return this.#result(this.library.functions[name](...args, this.#slots.addressOf(out.address)), name);
  }

  #result(status: number, what: string): Handle {
    this.#check(status, what);
    return this.#made(this.#slots.integer(out.address));
  }

  #made(handle: Handle): Handle {
    this.#live += 1;
    this.#temporaries.push(handle);
    return handle;
  }

  #release(start: number, kept: readonly Handle[]): void {
    const temporaries = this.#temporaries;
    while (temporaries.length > start) {
      const handle = temporaries.pop() as Handle;
      if (!kept.includes(handle)) this.delete(handle);
    }
    // An enclosing kernel owns what survives.
    if (this.#depth > 0) temporaries.push(...kept);
  }

  #writeShape(shape: readonly number[], strides?: readonly number[]): void {
    const slots = this.#slots;
    let stride = 1;
    for (let i = shape.length - 1; i >= 0; i--) {
      slots.setInteger(sizesAt + i, shape[i] as number);
      slots.setInteger(stridesAt + i, strides ? (strides[i] as number) : stride);
      stride *= Math.max(1, shape[i] as number);
    }
  }

  #check(status: number, what: string): void {
    if (status === 0) return;
    const text = this.library.errorText?.() ?? "PyTorch before 2.13 does not say why";
    const [line = text] = text.split("\n");
    if (/out of memory|allocate memory/i.test(text))
      throw new LaconicError("device_out_of_memory", `${what}: ${line}`, { operator: what });
    throw new LaconicError("engine_failed", `${what} failed in PyTorch: ${line}`, { operator: what });
  }
}

function typeOf(values: Float32Array | Float64Array | Int32Array | BigInt64Array): ScalarType {
  if (values instanceof Float32Array) return scalarType.float32;
  if (values instanceof Float64Array) return scalarType.float64;
  return values instanceof Int32Array ? scalarType.int32 : scalarType.int64;
}
