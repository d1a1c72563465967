/// <reference path="./webassembly.d.ts" />
import { LaconicError } from "@laconic/core";
import { sizeOf } from "@laconic/kernels";
import { BackendWasm } from "@tensorflow/tfjs-backend-wasm";
import {
  backend,
  enableProdMode,
  engine,
  matMul,
  ready,
  setBackend,
  type Tensor2D,
  type Tensor as TfTensor,
} from "@tensorflow/tfjs-core";
import { quietly } from "#wasm";
import { fusedNames, type Fused } from "./fused.ts";

/** The allocator takes a larger request for a negative one and damages its heap. */
const largestArray = 2 ** 31 - 2 ** 16;

/** The parts of TensorFlow.js's wasm backend that its types leave out. */
interface WasmInternals {
  readonly wasm: { readonly asm: { readonly memory: WebAssembly.Memory } };
  readonly dataIdMap: { get(id: object): { readonly memoryOffset: number } };
}

/** The wasm memory that TensorFlow.js and our fused kernels share. */
export interface TfjsMemory {
  readonly fused: Fused;
  /**
   * A tensor with whatever was in memory before.
   * @throws LaconicError `device_out_of_memory` when the memory is full.
   */
  allocate(shape: readonly number[], dtype: "float32" | "int32"): TfTensor;
  /** Product of two matrices, by XNNPACK; it keeps a packed copy of the right one for as long as that lives. */
  multiply(left: Tensor2D, right: Tensor2D): Tensor2D;
  /** Byte address of the first element; stays valid for the tensor's life. */
  address(data: TfTensor): number;
  /** The tensor's bytes as a view, valid until the next allocation, which may move the buffer. */
  bytes(data: TfTensor): Uint8Array;
  /** Whether another tensor shares these bytes. */
  isShared(data: TfTensor): boolean;
}

/** @param binary - of the fused kernels @throws LaconicError `device_unavailable` when the backend does not start or hides its memory. */
export async function openTfjsMemory(binary: Uint8Array<ArrayBuffer>): Promise<TfjsMemory> {
  const instance = await startBackend();
  const internals = instance as unknown as Partial<WasmInternals>;
  const memory = internals.wasm?.asm.memory;
  const tensors = internals.dataIdMap;
  if (memory === undefined || tensors === undefined)
    throw new LaconicError(
      "device_unavailable",
      "this version of @tensorflow/tfjs-backend-wasm hides its memory; install 4.22.0",
    );
  const address = (data: TfTensor): number => tensors.get(data.dataId).memoryOffset;
  const holding = <T extends TfTensor>(data: T): T => {
    // The allocator answers 0 when the 4 GiB that wasm can address are full.
    if (address(data) !== 0) return data;
    data.dispose();
    throw memoryFull(data.shape);
  };
  return {
    fused: await instantiateFused(binary, memory),
    allocate: (shape, dtype) => {
      expectRoom(shape);
      return holding(engine().makeTensorFromTensorInfo(instance.makeOutput([...shape], dtype)));
    },
    multiply: (left, right) => {
      expectRoom([left.shape[0], right.shape[1]]);
      return holding(matMul(left, right));
    },
    address,
    bytes: (data) => new Uint8Array(memory.buffer, address(data), data.size * 4),
    isShared: (data) => instance.refCount(data.dataId) > 1,
  };
}

function expectRoom(shape: readonly number[]): void {
  if (4 * sizeOf(shape) > largestArray) throw memoryFull(shape);
}

function memoryFull(shape: readonly number[]): LaconicError {
  const message = `no room for an array [${shape.join(", ")}] in wasm memory (4 GiB, 2 GiB for one array); use smaller batches`;
  return new LaconicError("device_out_of_memory", message, { bytes: 4 * sizeOf(shape) });
}

async function startBackend(): Promise<BackendWasm> {
  // Production mode keeps TensorFlow.js from writing to the console.
  enableProdMode();
  const started = await quietly(async () => {
    const began = await setBackend("wasm").catch(() => false);
    await ready();
    return began;
  });
  const instance: unknown = started ? backend() : null;
  if (!(instance instanceof BackendWasm))
    throw new LaconicError(
      "device_unavailable",
      "TensorFlow.js could not start its wasm backend; it needs wasm SIMD, as in Node 20, and in a page its binary",
    );
  return instance;
}

async function instantiateFused(binary: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory): Promise<Fused> {
  const { instance } = await WebAssembly.instantiate(binary, { env: { memory } });
  const missing = fusedNames.filter((name) => typeof instance.exports[name] !== "function");
  if (missing.length > 0)
    throw new LaconicError(
      "device_unavailable",
      `assets/fused.wasm lacks ${missing.join(", ")}; run the build:wasm script`,
    );
  return instance.exports as unknown as Fused;
}
