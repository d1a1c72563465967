import { LaconicError } from "@laconic/core";
import { HandleScopes } from "./handle-scopes.ts";
import type { Library, TorchDeviceName } from "./library.ts";
import { slotPlaces, type NativeCalls } from "./native-calls.ts";
import type { Handle } from "./operator.ts";
import { scalarType, scalarTypeOf, type ScalarType } from "./scalar-type.ts";

/** `host` is pinned if possible; a GPU cannot read `pageable` directly. */
type TensorPlace = TorchDeviceName | "host" | "pageable";

/** Codes of c10::DeviceType. */
const deviceTypes: Readonly<Record<TorchDeviceName, number>> = { cpu: 0, cuda: 1, mps: 13 };

export class DeviceMemory {
  readonly library: Library;
  readonly #device: TorchDeviceName;
  protected readonly calls: NativeCalls;
  protected readonly scopes: HandleScopes;
  readonly #landings: Landings;

  constructor(calls: NativeCalls, device: TorchDeviceName) {
    this.library = calls.library;
    this.#device = device;
    this.calls = calls;
    this.scopes = new HandleScopes((handle) => {
      calls.counters.nativeCalls += 1;
      calls.library.functions.deleteHandle(handle);
    });
    this.#landings = new Landings((handle) => this.scopes.delete(handle));
  }

  get liveHandles(): number {
    return this.scopes.live - this.#landings.count;
  }

  protected allocate(shape: readonly number[], type: ScalarType, where: TensorPlace): Handle {
    return this.scopes.add(this.newTensor(shape, type, where));
  }

  /** The same without an owner. */
  protected newTensor(shape: readonly number[], type: ScalarType, where: TensorPlace): Handle {
    this.#writeShape(shape);
    const { address } = this.calls.slots;
    const { emptyPinned, functions, index } = this.library;
    const onHost = where === "host" || where === "pageable";
    if (!onHost) this.expectType(type);
    const pinned = where === "host" && this.#device === "cuda" && emptyPinned !== null;
    const status = (pinned ? emptyPinned : functions.emptyStrided)(
      shape.length,
      address + 8 * slotPlaces.sizes,
      address + 8 * slotPlaces.strides,
      type,
      onHost ? 0 : deviceTypes[this.#device],
      onHost || this.#device === "cpu" ? -1 : index,
      address + 8 * slotPlaces.result,
    );
    this.calls.check(status, "empty_strided");
    return this.calls.slots.integer(slotPlaces.result);
  }

  /** The same memory in another shape. Strides and offset are in elements. */
  view(x: Handle, shape: readonly number[], strides?: readonly number[], offset = 0): Handle {
    this.#writeShape(shape, strides);
    const { address } = this.calls.slots;
    const status = this.library.functions.reinterpret(
      x,
      shape.length,
      address + 8 * slotPlaces.sizes,
      address + 8 * slotPlaces.strides,
      offset,
      address + 8 * slotPlaces.result,
    );
    this.calls.check(status, "view");
    return this.scopes.add(this.calls.slots.integer(slotPlaces.result));
  }

  protected expectType(type: ScalarType): void {
    if (this.#device === "mps" && type === scalarType.float64)
      throw new LaconicError("engine_failed", "MPS does not support float64 tensors");
  }

  address(handle: Handle): number {
    const { slots } = this.calls;
    this.calls.check(this.library.functions.dataPointer(handle, slots.addressOf(slotPlaces.result)), "data pointer");
    return slots.integer(slotPlaces.result);
  }

  /** Copies the values before it returns. */
  upload(values: Float32Array | Float64Array | Int32Array | BigInt64Array, shape: readonly number[]): Handle {
    const type = scalarTypeOf(values);
    return this.scopes.run(() => {
      const host = this.allocate(shape, type, "host");
      if (values.length > 0) this.library.toNative(this.address(host), values, values.byteLength);
      this.calls.counters.bytesToDevice += values.byteLength;
      if (this.#device === "cpu") return host;
      const result = this.allocate(shape, type, this.#device);
      this.#copyAcross(result, host);
      return result;
    });
  }

  /** Starts to read a contiguous tensor, which may be freed at once. The result waits and fills `into`. */
  startRead(x: Handle, shape: readonly number[], into: Float32Array | Int32Array): () => void {
    const { events, emptyPinned } = this.library;
    const { counters } = this.calls;
    counters.bytesToHost += into.byteLength;
    if (this.#device === "cpu") {
      if (into.length > 0) this.library.toHost(into, this.address(x), into.byteLength);
      return () => undefined;
    }
    const pinned = events !== null && emptyPinned !== null;
    const type = scalarTypeOf(into);
    const make = (): { handle: Handle; address: number } => {
      const handle = this.scopes.apart(() => this.allocate(shape, type, pinned ? "host" : "pageable"));
      return { handle, address: this.address(handle) };
    };
    const landing = this.#landings.take(`${type} ${shape.join()}`, make, into.byteLength);
    this.#copyAcross(landing.handle, x, pinned);
    const passed = pinned ? events.record() : null;
    // Record, wait, and copy to the host array.
    counters.nativeCalls += passed ? 3 : 1;
    return () => {
      passed?.wait();
      if (into.length > 0) this.library.toHost(into, landing.address, into.byteLength);
      this.#landings.leave(landing);
    };
  }

  /** Waits for the device. The tensor must be contiguous. */
  read(x: Handle, shape: readonly number[], into: Float32Array | Int32Array): void {
    if (this.#device !== "cpu") this.calls.counters.blockingCopies += 1;
    this.startRead(x, shape, into)();
  }

  /** Blocks without pinned memory. */
  #copyAcross(into: Handle, from: Handle, pinned = this.library.emptyPinned !== null): void {
    this.calls.counters.hostCopies += 1;
    if (!pinned) this.calls.counters.blockingCopies += 1;
    this.calls.check(this.library.functions.copyInto(into, from, pinned ? 1 : 0), "copy_");
  }

  #writeShape(shape: readonly number[], strides?: readonly number[]): void {
    const slots = this.calls.slots;
    let stride = 1;
    for (let i = shape.length - 1; i >= 0; i--) {
      slots.setInteger(slotPlaces.sizes + i, shape[i]!);
      slots.setInteger(slotPlaces.strides + i, strides ? strides[i]! : stride);
      stride *= Math.max(1, shape[i]!);
    }
  }
}

interface Landing {
  readonly handle: Handle;
  readonly address: number;
  readonly kind: string;
  readonly bytes: number;
}

const maxBytes = 2 ** 16;
const maxKept = 8;

class Landings {
  readonly #kept: Landing[] = [];
  readonly #delete: (handle: Handle) => void;

  constructor(remove: (handle: Handle) => void) {
    this.#delete = remove;
  }

  get count(): number {
    return this.#kept.length;
  }

  take(kind: string, make: () => Pick<Landing, "handle" | "address">, bytes: number): Landing {
    const index = this.#kept.findIndex((landing) => landing.kind === kind);
    return index < 0 ? { ...make(), kind, bytes } : this.#kept.splice(index, 1)[0]!;
  }

  leave(landing: Landing): void {
    if (landing.bytes <= maxBytes) this.#kept.push(landing);
    const surplus = landing.bytes > maxBytes ? landing : this.#kept.length > maxKept ? this.#kept.shift() : undefined;
    if (surplus) this.#delete(surplus.handle);
  }
}
