import { readFile } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { backend, engine, ready, setBackend, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { BackendWasm } from "@tensorflow/tfjs-backend-wasm";

/** The parts of TensorFlow.js's wasm backend that its types leave out. */
interface WasmInternals {
  readonly wasm: { readonly asm: { readonly memory: WebAssembly.Memory } };
  readonly dataIdMap: { get(id: object): { readonly memoryOffset: number } };
}

/** Names and addresses of our fused functions: numbers in, nothing or a number out. */
export type Fused = Readonly<Record<string, (...args: number[]) => number>>;

/** The wasm memory that TensorFlow.js and our fused kernels share. */
export interface TfjsMemory {
  readonly fused: Fused;
  /** A tensor with whatever was in memory before. */
  allocate(shape: readonly number[], dtype: "float32" | "int32"): TfTensor;
  /** Byte address of the first element; stays valid for the tensor's life. */
  address(data: TfTensor): number;
  /** The tensor's bytes as a view, valid until the next allocation, which may move the buffer. */
  bytes(data: TfTensor): Uint8Array;
}

/** @throws LaconicError `device_unavailable` when the backend does not start or hides its memory. */
export async function openTfjsMemory(): Promise<TfjsMemory> {
  const listeners = ["uncaughtException", "unhandledRejection"] as const;
  const before = listeners.map((event) => process.listeners(event as "uncaughtException"));
  if (!(await setBackend("wasm"))) throw new LaconicError("device_unavailable", "TensorFlow.js could not start its wasm backend");
  await ready();
  // The emscripten runtime adds process-wide handlers that rethrow; an engine must not change its host's error handling.
  listeners.forEach((event, i) => {
    for (const listener of process.listeners(event as "uncaughtException"))
      if (!before[i]?.includes(listener)) process.removeListener(event, listener);
  });

  const instance: unknown = backend();
  if (!(instance instanceof BackendWasm)) throw new LaconicError("device_unavailable", "another TensorFlow.js backend is active");
  const internals = instance as unknown as WasmInternals;
  const memory = internals.wasm.asm.memory;
  const bytes = await readFile(new URL("../../assets/fused.wasm", import.meta.url));
  const module = await WebAssembly.instantiate(bytes, { env: { memory, log: Math.log } });
  const address = (data: TfTensor): number => internals.dataIdMap.get(data.dataId).memoryOffset;
  return {
    fused: module.instance.exports as unknown as Fused,
    allocate: (shape, dtype) => engine().makeTensorFromTensorInfo(instance.makeOutput([...shape], dtype)),
    bytes: (data) => new Uint8Array(memory.buffer, address(data), data.size * 4),
    address,
  };
}
