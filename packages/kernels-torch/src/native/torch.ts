import type { KernelCounters } from "@laconic/engine/kernels";
import { DeviceMemory } from "./device-memory.ts";
import { HandleScopes } from "./handle-scopes.ts";
import type { Library, TorchDeviceName } from "./library.ts";
import { MpsOperators } from "./mps-operators.ts";
import { NativeCalls, slotPlaces } from "./native-calls.ts";
import { aten, type Argument, type Handle, type Handles } from "./operator.ts";
import type { Operator, ResultCount } from "./operator.ts";
import { int64Of, type ScalarType } from "./scalar-type.ts";

export { aten } from "./operator.ts";
export type { Argument, Handle, Handles, Operator, ResultCount } from "./operator.ts";

/** Below it a product takes some 20 microseconds on one core. */
const smallWork = 2 ** 20;

/**
 * Calls into libtorch on one thread. Whatever a call returns belongs to the innermost {@link run} and is deleted at its
 * end, unless it is the result: kernels free nothing by hand.
 */
export class Torch {
  readonly library: Library;
  readonly device: TorchDeviceName;
  readonly #calls: NativeCalls;
  readonly #operators: NativeCalls | MpsOperators;
  readonly #scopes: HandleScopes;
  readonly #memory: DeviceMemory;
  #threads = 0;

  constructor(library: Library, device: TorchDeviceName) {
    this.library = library;
    this.device = device;
    this.#calls = new NativeCalls(library);
    this.#scopes = new HandleScopes((handle) => {
      this.#calls.counters.nativeCalls += 1;
      library.functions.deleteHandle(handle);
    });
    this.#memory = new DeviceMemory(library, device, this.#calls, this.#scopes);
    this.#operators =
      device === "mps"
        ? new MpsOperators(this.#calls, {
            make: (...made) => this.#memory.newTensor(...made),
            remove: (handle) => this.#calls.check(library.functions.deleteHandle(handle), "delete"),
          })
        : this.#calls;
    library.functions.setGradMode(false);
  }

  /** Runs a kernel; of the handles made inside, those in the result survive and belong to the caller. */
  run<T extends Handle | readonly Handle[]>(body: () => T): T {
    return this.#scopes.run(body);
  }

  /** Like {@link run}, but the result belongs to nobody: the caller deletes it. */
  apart(body: () => Handle): Handle {
    return this.#scopes.apart(body);
  }

  call(op: Operator, ...args: readonly Argument[]): Handle {
    this.#operators.invoke(op, args);
    return this.#scopes.add(this.#calls.slots.integer(0));
  }

  callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    this.#operators.invoke(op, args);
    const results: Handle[] = [];
    for (let i = 0; i < op.results; i++) results.push(this.#calls.slots.integer(i));
    for (const handle of results) this.#scopes.add(handle);
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
    return this.#memory.allocate(shape, type, this.device);
  }

  full(shape: readonly number[], type: ScalarType, value: number): Handle {
    const result = this.empty(shape, type);
    if (shape.every((length) => length > 0)) this.fill(result, value);
    return result;
  }

  /** The same memory under other sizes; contiguous from its first element, unless strides and an offset in elements are given. */
  view(x: Handle, shape: readonly number[], strides?: readonly number[], offset = 0): Handle {
    return this.#memory.view(x, shape, strides, offset);
  }

  cast(x: Handle, type: ScalarType, copy = false): Handle {
    this.#memory.expectType(type);
    return this.call(aten.toDtype, x, { type }, { bool: false }, { bool: copy }, null);
  }

  /** into = from on the device, between any types. */
  copyInto(into: Handle, from: Handle): void {
    this.#calls.compute(this.library.functions.copyInto(into, from, 0), "copy_");
  }

  /** The values are copied before this returns; what reaches a GPU later comes from pinned memory, where there is any. */
  upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    return this.#memory.upload(values, shape);
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
    return this.#memory.startRead(x, shape, into);
  }

  /** Waits for the device. The tensor must be contiguous. */
  read(x: Handle, shape: readonly number[], into: Float32Array | Int32Array): void {
    this.#memory.read(x, shape, into);
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

  address(handle: Handle): number {
    return this.#memory.address(handle);
  }

  delete(handle: Handle): void {
    this.#scopes.delete(handle);
  }

  /** Handles made and not deleted, but for those that reads keep; for leak tests. */
  get liveHandles(): number {
    return this.#scopes.live - this.#memory.kept;
  }

  /** Operators that the device lacks and the processor computed, each with its calls. */
  get fallbacks(): Readonly<Record<string, number>> {
    return this.#operators instanceof MpsOperators ? this.#operators.counts : {};
  }

  get counters(): KernelCounters {
    return this.#calls.counters.now();
  }

  #shim(name: "add" | "subtract" | "multiplyByNumber", ...args: readonly number[]): Handle {
    this.#calls.counters.operations += 1;
    return this.#result(this.library.functions[name](...args, this.#calls.slots.addressOf(slotPlaces.result)), name);
  }

  #result(status: number, what: string): Handle {
    this.#calls.check(status, what);
    return this.#scopes.add(this.#calls.slots.integer(slotPlaces.result));
  }
}
