import { LaconicError } from "@laconic/core";
import type { KernelCounters } from "@laconic/kernels";
import type { LaunchArgument } from "../programs/launcher.ts";
import type { CapturedGraph } from "./cuda-graphs.ts";
import type { StoredMatrix, WideProduct } from "./cuda-products.ts";
import { Landings } from "./landings.ts";
import type { Library, TorchDeviceName } from "./library.ts";
import { MpsOperators } from "./mps-operators.ts";
import { NativeCalls, slotPlaces } from "./native-calls.ts";
import { operator, type Argument, type Handle, type Handles } from "./operator.ts";
import type { Operator, ResultCount } from "./operator.ts";
import { int64Of, scalarType, scalarTypeOf, type ScalarType } from "./scalar-type.ts";

export { knownOperators, operator } from "./operator.ts";
export type { Argument, Handle, Handles, Operator, ResultCount } from "./operator.ts";

/** A matrix of bfloat16 by its rows, `stride` elements apart. */
interface Stored {
  readonly handle: Handle;
  readonly stride: number;
}

type ProductFacts = Pick<WideProduct, "size" | "add">;

/** Below it a product takes some 20 microseconds on one core. */
const smallWork = 2 ** 20;

/** Codes of c10::DeviceType. */
const deviceTypes: Readonly<Record<TorchDeviceName, number>> = { cpu: 0, cuda: 1, mps: 13 };

const toDtype = operator("aten::to", "dtype");

/**
 * Calls into libtorch on one thread. Whatever a call returns belongs to the innermost {@link run} and is deleted at its
 * end, unless it is the result: kernels free nothing by hand.
 */
export class Torch {
  readonly library: Library;
  readonly device: TorchDeviceName;
  readonly #deviceType: number;
  readonly #calls: NativeCalls;
  /** What runs operators. */
  readonly #operators: NativeCalls | MpsOperators;
  /** Called when the device's memory has run out, before that is thrown; not while a graph is captured. */
  onOutOfMemory: () => void = () => undefined;
  /** Of the running kernels, innermost last. */
  readonly #temporaries: Handle[] = [];
  #depth = 0;
  #live = 0;
  #threads = 0;
  /** Handles given up while a graph is captured, whose memory it goes on using. */
  #captured: Handle[] | null = null;
  readonly #landings = new Landings((handle) => this.delete(handle));

  constructor(library: Library, device: TorchDeviceName) {
    this.library = library;
    this.#calls = new NativeCalls(library);
    this.#calls.onOutOfMemory = () => {
      if (!this.#captured) this.onOutOfMemory();
    };
    this.device = device;
    this.#deviceType = deviceTypes[device];
    this.#operators =
      device === "mps"
        ? new MpsOperators(this.#calls, {
            make: (...made) => this.#newTensor(...made),
            remove: (handle) => this.#calls.check(library.functions.deleteHandle(handle), "delete"),
          })
        : this.#calls;
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

  /** Calls an operator with one result. */
  call(op: Operator, ...args: readonly Argument[]): Handle {
    this.#operators.invoke(op, args);
    return this.#made(this.#calls.slots.integer(0));
  }

  /** Calls an operator with any number of results. */
  callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    this.#operators.invoke(op, args);
    const results: Handle[] = [];
    for (let i = 0; i < op.results; i++) results.push(this.#calls.slots.integer(i));
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
    this.#calls.compute(this.library.functions.fill(x, value), "fill_");
  }

  /** out = a b, for matrices. */
  mmInto(result: Handle, a: Handle, b: Handle): void {
    this.#calls.compute(this.library.functions.mmOut(result, a, b), "mm");
  }

  /** out = bias + a b, for matrices and a row; `bias` may be `result` itself, to which the product is then added. */
  addmmInto(result: Handle, bias: Handle, a: Handle, b: Handle): void {
    this.#calls.compute(this.library.functions.addmmOut(result, bias, a, b, 1, 1), "addmm");
  }

  /** out = factor a b, for batches of matrices. */
  bmmInto(result: Handle, a: Handle, b: Handle, factor: number): void {
    this.#calls.compute(this.library.functions.baddbmmOut(result, result, a, b, 0, factor), "bmm");
  }

  /** On a GPU, where the library has the function: elsewhere rolling a row is faster. */
  get canPickColumns(): boolean {
    return this.device === "cuda" && this.library.indexTensor !== null;
  }

  /** Columns of a matrix by number, int64. */
  pickColumns(x: Handle, columns: Handle): Handle {
    const { slots } = this.#calls;
    const at = slotPlaces.borrowed;
    // Addresses of two optional handles: no index of rows, and one of columns.
    slots.setInteger(at, columns);
    slots.setInteger(at + 1, 0);
    slots.setInteger(at + 2, slots.addressOf(at));
    const { indexTensor } = this.library;
    this.#calls.counters.operations += 1;
    return this.#result(indexTensor?.(x, slots.addressOf(at + 1), 2, slots.addressOf(slotPlaces.result)) ?? 1, "index");
  }

  /** x[index[i, j], j] = values[i, j] along axis 0, in place; index int64. */
  scatterInto(x: Handle, index: Handle, values: Handle): void {
    this.#calls.compute(this.library.functions.scatterOut(x, x, 0, index, values), "scatter");
  }

  /** Not initialised. */
  empty(shape: readonly number[], type: ScalarType): Handle {
    return this.#allocate(shape, type, this.device);
  }

  full(shape: readonly number[], type: ScalarType, value: number): Handle {
    const result = this.empty(shape, type);
    if (shape.every((length) => length > 0)) this.fill(result, value);
    return result;
  }

  /** The same memory under other sizes; contiguous from its first element, unless strides and an offset in elements are given. */
  view(x: Handle, shape: readonly number[], strides?: readonly number[], offset = 0): Handle {
    this.#writeShape(shape, strides);
    const { address } = this.#calls.slots;
    const status = this.library.functions.reinterpret(
      x,
      shape.length,
      address + 8 * slotPlaces.sizes,
      address + 8 * slotPlaces.strides,
      offset,
      address + 8 * slotPlaces.result,
    );
    return this.#result(status, "view");
  }

  cast(x: Handle, type: ScalarType, copy = false): Handle {
    this.#expectType(type);
    return this.call(toDtype, x, { type }, { bool: false }, { bool: copy }, null);
  }

  /** into = from on the device, between any types. */
  copyInto(into: Handle, from: Handle): void {
    this.#calls.compute(this.library.functions.copyInto(into, from, 0), "copy_");
  }

  /** The values are copied before this returns; what reaches a GPU later comes from pinned memory, where there is any. */
  upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    this.expectNoCapture("hold an upload");
    const type = scalarTypeOf(values);
    return this.run(() => {
      const host = this.#allocate(shape, type, "host");
      if (values.length > 0) this.library.toNative(this.#dataPointer(host), values, values.byteLength);
      this.#calls.counters.bytesToDevice += values.byteLength;
      if (this.device === "cpu") return host;
      const result = this.empty(shape, type);
      this.#copyAcross(result, host);
      return result;
    });
  }

  /** Whole numbers from 0 as int64: what torch indexes with. */
  uploadIndices(values: Float64Array | Int32Array, shape: readonly number[]): Handle {
    return this.upload(int64Of(values), shape);
  }

  /**
   * Starts to read a contiguous tensor, which may be freed at once.
   * @returns waits for the device to have come so far, not for what was enqueued since, and fills `into`
   */
  startRead(x: Handle, shape: readonly number[], into: Float32Array | Int32Array): () => void {
    this.expectNoCapture("read");
    const { events, emptyPinned } = this.library;
    const { counters } = this.#calls;
    counters.bytesToHost += into.byteLength;
    if (this.device === "cpu") {
      if (into.length > 0) this.library.toHost(into, this.#dataPointer(x), into.byteLength);
      return () => undefined;
    }
    const pinned = events !== null && emptyPinned !== null;
    const type = scalarTypeOf(into);
    const make = (): { handle: Handle; address: number } => {
      const handle = this.apart(() => this.#allocate(shape, type, pinned ? "host" : "pageable"));
      return { handle, address: this.#dataPointer(handle) };
    };
    const landing = this.#landings.take(`${type} ${shape.join()}`, make, into.byteLength);
    this.#copyAcross(landing.handle, x, pinned);
    const passed = pinned ? events.record() : null;
    // Record, wait, and the copy out of the landing.
    counters.nativeCalls += passed ? 3 : 1;
    return () => {
      passed?.wait();
      if (into.length > 0) this.library.toHost(into, landing.address, into.byteLength);
      this.#landings.leave(landing);
    };
  }

  /** Waits for the device. The tensor must be contiguous. */
  read(x: Handle, shape: readonly number[], into: Float32Array | Int32Array): void {
    if (this.device !== "cpu") this.#calls.counters.blockingCopies += 1;
    this.startRead(x, shape, into)();
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

  /** Whether {@link launch} finds our own programs: compiles them the first time, on a GPU in use. */
  get launches(): boolean {
    return this.library.launcher() !== null && this.library.streams !== null;
  }

  /**
   * Enqueues one of our own programs on the GPU's current stream.
   * @param blocks - of `threads` threads each
   */
  launch(name: string, blocks: number, threads: number, args: readonly LaunchArgument[]): void {
    const { launcher, streams } = this.library;
    const programs = launcher();
    if (!programs || !streams) throw new LaconicError("engine_failed", `there is no program ${name} here`);
    programs.launch(name, blocks, threads, streams.current, args);
    this.#calls.compute(0, name);
  }

  /** Whether {@link addProduct} works here. */
  get addsProducts(): boolean {
    return this.library.products() !== null && this.library.streams !== null;
  }

  /** sum = left right in float32, or added to it, by factors of bfloat16; one launch. */
  addProduct(sum: Handle, left: Stored & { readonly turned: boolean }, right: Stored, more: ProductFacts): void {
    const { products, streams } = this.library;
    const device = products();
    if (!device || !streams) throw new LaconicError("engine_failed", "there are no products that add up here");
    const stored = ({ handle, stride }: Stored): StoredMatrix => ({ address: this.address(handle), stride });
    const { turned } = left;
    const product = { sum: this.address(sum), left: { ...stored(left), turned }, right: stored(right), ...more };
    device.enqueue(product, streams.current);
    this.#calls.compute(0, "product");
  }

  /** Where a tensor's first element lies, as a program takes it. */
  address(handle: Handle): number {
    return this.#dataPointer(handle);
  }

  delete(handle: Handle): void {
    if (this.#captured) {
      this.#captured.push(handle);
      return;
    }
    this.#live -= 1;
    this.#calls.counters.nativeCalls += 1;
    this.library.functions.deleteHandle(handle);
  }

  /** Handles made and not deleted, but for those that reads keep; for leak tests. */
  get liveHandles(): number {
    return this.#live - this.#landings.count;
  }

  /** Runs `body` in the GPU's queue for graphs: what a first run sets up there is there when it is captured. */
  besideGraphs<T>(body: () => T): T {
    const { graphs } = this.library;
    return graphs === null ? body() : graphs.apart(body);
  }

  /** Runs `body` with nothing executed; see {@link DeviceGraphs.capture}. */
  capture(body: () => void): CapturedGraph | { readonly refusal: string } {
    const { graphs } = this.library;
    if (graphs === null) return { refusal: "there are no graphs on this device" };
    const handles: Handle[] = [];
    const release = (): void => {
      for (const handle of handles.splice(0)) this.delete(handle);
    };
    this.#captured = handles;
    let outcome: ReturnType<typeof graphs.capture> | null = null;
    try {
      outcome = graphs.capture(body);
    } finally {
      this.#captured = null;
      if (outcome === null || "refusal" in outcome) release();
    }
    if ("refusal" in outcome) return outcome;
    const { graph } = outcome;
    return {
      launch: () => {
        this.#calls.counters.nativeCalls += 1;
        graphs.launch(graph);
      },
      delete: () => {
        graphs.destroy(graph);
        release();
      },
    };
  }

  /** @throws LaconicError `engine_failed` while a graph is captured, of which `what` would be no part */
  expectNoCapture(what: string): void {
    if (this.#captured) throw new LaconicError("engine_failed", `a graph cannot ${what}`);
  }

  /** Operators that the device lacks and the processor computed, each with its calls. */
  get fallbacks(): Readonly<Record<string, number>> {
    return this.#operators instanceof MpsOperators ? this.#operators.counts : {};
  }

  get counters(): KernelCounters {
    return this.#calls.counters.now();
  }

  #expectType(type: ScalarType): void {
    if (this.device === "mps" && type === scalarType.float64)
      throw new LaconicError("engine_failed", "a tensor of float64 was asked for, and MPS has none");
  }

  /** On the host in pinned memory where there is any, or in memory that a GPU cannot read by itself. */
  #allocate(shape: readonly number[], type: ScalarType, where: TorchDeviceName | "host" | "pageable"): Handle {
    return this.#made(this.#newTensor(shape, type, where));
  }

  /** The same, which belongs to nobody. */
  #newTensor(shape: readonly number[], type: ScalarType, where: TorchDeviceName | "host" | "pageable"): Handle {
    this.#writeShape(shape);
    const { address } = this.#calls.slots;
    const { emptyPinned, functions } = this.library;
    const onHost = where === "host" || where === "pageable";
    if (!onHost) this.#expectType(type);
    const pinned = where === "host" && this.device === "cuda" && emptyPinned !== null;
    const status = (pinned ? emptyPinned : functions.emptyStrided)(
      shape.length,
      address + 8 * slotPlaces.sizes,
      address + 8 * slotPlaces.strides,
      type,
      onHost ? 0 : this.#deviceType,
      onHost || this.device === "cpu" ? -1 : this.library.index,
      address + 8 * slotPlaces.result,
    );
    this.#calls.check(status, "empty_strided");
    return this.#calls.slots.integer(slotPlaces.result);
  }

  /** Between host and GPU; without pinned memory the host waits. */
  #copyAcross(into: Handle, from: Handle, pinned = this.library.emptyPinned !== null): void {
    this.#calls.counters.hostCopies += 1;
    if (!pinned) this.#calls.counters.blockingCopies += 1;
    this.#calls.check(this.library.functions.copyInto(into, from, pinned ? 1 : 0), "copy_");
  }

  #dataPointer(handle: Handle): number {
    const { slots } = this.#calls;
    this.#calls.check(this.library.functions.dataPointer(handle, slots.addressOf(slotPlaces.result)), "data pointer");
    return slots.integer(slotPlaces.result);
  }

  #shim(name: "add" | "subtract" | "multiplyByNumber", ...args: readonly number[]): Handle {
    this.#calls.counters.operations += 1;
    return this.#result(this.library.functions[name](...args, this.#calls.slots.addressOf(slotPlaces.result)), name);
  }

  #result(status: number, what: string): Handle {
    this.#calls.check(status, what);
    return this.#made(this.#calls.slots.integer(slotPlaces.result));
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
    const slots = this.#calls.slots;
    let stride = 1;
    for (let i = shape.length - 1; i >= 0; i--) {
      slots.setInteger(slotPlaces.sizes + i, shape[i] as number);
      slots.setInteger(slotPlaces.strides + i, strides ? (strides[i] as number) : stride);
      stride *= Math.max(1, shape[i] as number);
    }
  }
}
