/// <reference path="./webassembly.d.ts" />
import { LaconicError, type UnknownRecord } from "@laconic/core";
import { fusedNames, type Fused } from "./fused.ts";

const page = 2 ** 16;
/** 4 GiB, the limit of 32-bit addresses. */
const maxPages = 2 ** 16;
/** Some fused functions count bytes in signed integers. */
const largestArray = 2 ** 31 - page;
/** Cache line; arrays never share one. */
const alignment = 64;

export class WasmMemory {
  readonly fused: Fused;
  readonly module: object;
  readonly #memory: WebAssembly.Memory;
  /** Address 0 is never allocated. */
  readonly #free = new FreeBlocks(alignment);
  #bytes: Uint8Array;

  private constructor(memory: WebAssembly.Memory, module: WebAssembly.Module, fused: Fused) {
    this.#memory = memory;
    this.module = module;
    this.fused = fused;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#free.add(alignment, memory.buffer.byteLength - alignment);
  }

  /** @throws LaconicError `device_unavailable` without SIMD */
  static async open(
    binary: Uint8Array<ArrayBuffer>,
    { fma = false, shared = false }: { readonly fma?: boolean; readonly shared?: boolean } = {},
  ): Promise<WasmMemory> {
    const memory = new WebAssembly.Memory({ initial: 16, maximum: maxPages, shared });
    const started = await startedOver(memory, shared ? binary : unshared(binary)).catch(
      (error: unknown) => error as Error,
    );
    if (started instanceof Error)
      throw new LaconicError(
        "device_unavailable",
        `the wasm kernels failed to start; they need ${fma ? "relaxed SIMD, as in Node 22" : "wasm SIMD, as in Node 20"}: ${started.message}`,
      );
    const { module, exports } = started;
    const missing = fusedNames.filter((name) => typeof exports[name] !== "function");
    if (missing.length > 0)
      throw new LaconicError(
        "device_unavailable",
        `assets/fused.wasm lacks ${missing.join(", ")}; run the build:wasm script`,
      );
    return new WasmMemory(memory, module, exports as unknown as Fused);
  }

  /** Uninitialized, 4 bytes per element. @throws LaconicError `device_out_of_memory` */
  allocate(shape: readonly number[]): number {
    const bytes = bytesOf(shape);
    if (bytes > largestArray) throw memoryFull(shape);
    return this.#free.take(bytes) ?? this.#grown(shape, bytes);
  }
  release(address: number, shape: readonly number[]): void {
    this.#free.add(address, bytesOf(shape));
  }
  /** Structured-cloneable if shared. */
  get memory(): { readonly buffer: ArrayBuffer | SharedArrayBuffer } {
    return this.#memory;
  }
  get used(): number {
    return this.#memory.buffer.byteLength - alignment - this.#free.bytes;
  }
  /** Valid until the next allocation. */
  bytes(address: number, count: number): Uint8Array {
    return this.#bytes.subarray(address, address + count);
  }

  #grown(shape: readonly number[], bytes: number): number {
    const end = this.#memory.buffer.byteLength;
    const missing = bytes - this.#free.before(end);
    // Grows by a quarter; unused pages cost no memory.
    const pages = Math.ceil(Math.max(missing, end / 4) / page);
    const most = maxPages - end / page;
    if (Math.ceil(missing / page) > most || !this.#grow(Math.min(pages, most))) throw memoryFull(shape);
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#free.add(end, this.#bytes.byteLength - end);
    return this.#free.take(bytes)!;
  }

  #grow(pages: number): boolean {
    try {
      this.#memory.grow(pages);
      return true;
    } catch {
      return false;
    }
  }
}

async function startedOver(
  memory: WebAssembly.Memory,
  binary: Uint8Array<ArrayBuffer>,
): Promise<{ readonly module: WebAssembly.Module; readonly exports: UnknownRecord }> {
  const module = await WebAssembly.compile(binary);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  return { module, exports };
}

/** Import entry: name `memory`, kind, and shared limits. */
const sharedImport = [6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 3];

/** Pages without isolation require it, and phones cannot reserve 4 GiB. */
function unshared(binary: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const index = binary.findIndex((_, i) => sharedImport.every((byte, j) => binary[i + j] === byte));
  const copy = binary.slice();
  if (index >= 0) copy[index + sharedImport.length - 1] = 1;
  return copy;
}

function bytesOf(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 4);
}

function memoryFull(shape: readonly number[]): LaconicError {
  const message = `no space for an array [${shape.join(", ")}] in wasm memory (4 GiB, 2 GiB for one array); use smaller batches`;
  return new LaconicError("device_out_of_memory", message, { bytes: bytesOf(shape) });
}

/** Free blocks by address. First fit keeps the end free. */
export class FreeBlocks {
  readonly #alignment: number;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** @param multiple - alignment of sizes */
  constructor(multiple: number) {
    this.#alignment = multiple;
  }

  /** Null if no block fits. Empty arrays take space. */
  take(bytes: number): number | null {
    const size = this.#rounded(bytes);
    const index = this.#ends.findIndex((end, i) => end - this.#starts[i]! >= size);
    if (index < 0) return null;
    const start = this.#starts[index]!;
    if (start + size < this.#ends[index]!) this.#starts[index] = start + size;
    else {
      this.#starts.splice(index, 1);
      this.#ends.splice(index, 1);
    }
    return start;
  }

  add(address: number, bytes: number): void {
    const end = address + this.#rounded(bytes);
    let index = this.#after(address);
    if (index > 0 && this.#ends[index - 1] === address) {
      index -= 1;
      this.#ends[index] = end;
    } else {
      this.#starts.splice(index, 0, address);
      this.#ends.splice(index, 0, end);
    }
    if (this.#starts[index + 1] !== end) return;
    this.#ends[index] = this.#ends[index + 1]!;
    this.#starts.splice(index + 1, 1);
    this.#ends.splice(index + 1, 1);
  }

  get bytes(): number {
    return this.#ends.reduce((sum, end, i) => sum + end - this.#starts[i]!, 0);
  }

  before(address: number): number {
    const last = this.#after(address) - 1;
    return this.#ends[last] === address ? address - this.#starts[last]! : 0;
  }

  #after(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rounded(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
  }
}
