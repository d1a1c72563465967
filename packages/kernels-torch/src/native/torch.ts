import type { KernelCounters } from "@laconic/engine/kernels";
import { DeviceMemory } from "./device-memory.ts";
import type { Library, TorchDeviceName } from "./library.ts";
import { MpsOperators } from "./mps-operators.ts";
import { NativeCalls, slotPlaces } from "./native-calls.ts";
import { aten, type Argument, type Handle, type Handles, type Operator, type ResultCount } from "./operator.ts";
import { int64Of, type ScalarType } from "./scalar-type.ts";

export { aten, type Argument, type Handle, type Handles, type Operator, type ResultCount } from "./operator.ts";

/** About 20 microseconds on one core. */
const smallWork = 2 ** 20;

/** Calls libtorch on one thread. The innermost {@link run} deletes handles at its end, except its result. */
export class Torch extends DeviceMemory {
  readonly device: TorchDeviceName;
  readonly #operators: NativeCalls | MpsOperators;
  #threads = 0;

  constructor(library: Library, device: TorchDeviceName) {
    super(new NativeCalls(library), device);
    this.device = device;
    this.#operators =
      device === "mps"
        ? new MpsOperators(this.calls, {
            make: (...made) => this.newTensor(...made),
            remove: (handle) => this.calls.check(library.functions.deleteHandle(handle), "delete"),
          })
        : this.calls;
    library.functions.setGradMode(false);
  }

  run<T extends Handle | readonly Handle[] | void>(body: () => T): T {
    return this.scopes.run(body);
  }

  /** Like {@link run}, but the caller must delete the result. */
  apart(body: () => Handle): Handle {
    return this.scopes.apart(body);
  }

  call(op: Operator, ...args: readonly Argument[]): Handle {
    this.#operators.invoke(op, args);
    return this.scopes.add(this.calls.slots.integer(0));
  }

  callMany<Count extends ResultCount>(op: Operator<Count>, ...args: readonly Argument[]): Handles<Count> {
    this.#operators.invoke(op, args);
    const results: Handle[] = [];
    for (let i = 0; i < op.results; i++) results.push(this.calls.slots.integer(i));
    for (const handle of results) this.scopes.add(handle);
    return results as unknown as Handles<Count>;
  }

  add(a: Handle, b: Handle, factor = 1): Handle {
    return this.#shim("add", a, b, factor);
  }

  subtract(a: Handle, b: Handle): Handle {
    return this.#shim("subtract", a, b, 1);
  }

  multiplyByNumber(x: Handle, factor: number): Handle {
    return this.#shim("multiplyByNumber", x, factor);
  }

  multiply(a: Handle, b: Handle): Handle {
    return this.call(aten.multiply, a, b);
  }

  multiplyInto(out: Handle, a: Handle, b: Handle): Handle {
    return this.call(aten.multiplyOut, a, b, out);
  }

  multiplyInPlace(x: Handle, factor: Handle): void {
    this.call(aten.multiplyInPlace, x, factor);
  }

  contiguous(x: Handle): Handle {
    return this.call(aten.contiguous, x, { int: 0 });
  }

  transpose(x: Handle, first: number, second: number): Handle {
    return this.call(aten.transpose, x, { int: first }, { int: second });
  }

  cat(tensors: readonly Handle[], axis: number): Handle {
    return this.call(aten.cat, { tensors }, { int: axis });
  }

  selectRows(x: Handle, rows: Handle): Handle {
    return this.call(aten.indexSelect, x, { int: 0 }, rows);
  }

  /** Writes values into the rows of an int64 index, in place. */
  copyRows(into: Handle, rows: Handle, values: Handle): Handle {
    return this.call(aten.indexCopy, into, { int: 0 }, rows, values);
  }

  /** x[i, columns[i, j]]; index int64. */
  gather(x: Handle, columns: Handle): Handle {
    return this.call(aten.gather, x, { int: 1 }, columns, { bool: false });
  }

  runningSums(x: Handle): Handle {
    return this.call(aten.cumsum, x, { int: 1 }, null);
  }

  fill(x: Handle, value: number): void {
    this.calls.compute(this.library.functions.fill(x, value), "fill_");
  }

  mmInto(result: Handle, a: Handle, b: Handle): void {
    this.calls.compute(this.library.functions.mmOut(result, a, b), "mm");
  }

  /** out = bias + a b; `bias` may be `result`. */
  addmmInto(result: Handle, bias: Handle, a: Handle, b: Handle): void {
    this.calls.compute(this.library.functions.addmmOut(result, bias, a, b, 1, 1), "addmm");
  }

  /** out = factor a b, by batch. */
  bmmInto(result: Handle, a: Handle, b: Handle, factor: number): void {
    this.calls.compute(this.library.functions.baddbmmOut(result, result, a, b, 0, factor), "bmm");
  }

  get canPickColumns(): boolean {
    return this.device === "cuda" && this.library.indexTensor !== null;
  }

  pickColumns(x: Handle, columns: Handle): Handle {
    const { slots } = this.calls;
    const index = slotPlaces.borrowed;
    // No row index, and a column index.
    slots.setInteger(index, columns);
    slots.setInteger(index + 1, 0);
    slots.setInteger(index + 2, slots.addressOf(index));
    const { indexTensor } = this.library;
    this.calls.counters.operations += 1;
    return this.#result(
      indexTensor?.(x, slots.addressOf(index + 1), 2, slots.addressOf(slotPlaces.result)) ?? 1,
      "index",
    );
  }

  /** x[index[i, j], j] = values[i, j], in place; index int64. */
  scatterInto(x: Handle, index: Handle, values: Handle): void {
    this.calls.compute(this.library.functions.scatterOut(x, x, 0, index, values), "scatter");
  }

  /** Allocates uninitialised memory. */
  empty(shape: readonly number[], type: ScalarType): Handle {
    return this.allocate(shape, type, this.device);
  }

  full(shape: readonly number[], type: ScalarType, value: number): Handle {
    const result = this.empty(shape, type);
    if (shape.every((length) => length > 0)) this.fill(result, value);
    return result;
  }

  cast(x: Handle, type: ScalarType, copy = false): Handle {
    this.expectType(type);
    return this.call(aten.toDtype, x, { type }, { bool: false }, { bool: copy }, null);
  }

  copyInto(into: Handle, from: Handle): void {
    this.calls.compute(this.library.functions.copyInto(into, from, 0), "copy_");
  }

  uploadIndices(values: Float64Array | Int32Array, shape: readonly number[]): Handle {
    return this.upload(int64Of(values), shape);
  }

  /** Small products run on one thread, because synchronising costs more. */
  expectWork(multiplications: number): void {
    const { setThreads, threads } = this.library;
    const wanted = multiplications < smallWork ? 1 : threads;
    if (setThreads === null || wanted === this.#threads) return;
    setThreads(wanted);
    this.#threads = wanted;
  }

  delete(handle: Handle): void {
    this.scopes.delete(handle);
  }

  get fallbacks(): Readonly<Record<string, number>> {
    return this.#operators instanceof MpsOperators ? this.#operators.counts : {};
  }

  get counters(): KernelCounters {
    return { ...this.calls.counters };
  }

  #shim(name: "add" | "subtract" | "multiplyByNumber", ...args: readonly number[]): Handle {
    this.calls.counters.operations += 1;
    return this.#result(this.library.functions[name](...args, this.calls.slots.addressOf(slotPlaces.result)), name);
  }

  #result(status: number, what: string): Handle {
    this.calls.check(status, what);
    return this.scopes.add(this.calls.slots.integer(slotPlaces.result));
  }
}
