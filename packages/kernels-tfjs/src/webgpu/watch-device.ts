import { LaconicError } from "@laconic/core";

/** What of TensorFlow.js's WebGPU backend is used here. */
interface WebGpuBackend {
  readonly device: {
    onuncapturederror: ((event: { readonly error: { readonly message: string } }) => void) | null;
    readonly lost: Promise<{ readonly reason: string; readonly message: string }>;
  };
}

/**
 * WebGPU reports errors after the call that made them: a call that fails leaves its result as it was.
 * @returns what went wrong first; null while nothing did
 */
export function watchDevice(backend: unknown): () => LaconicError | null {
  const { device } = backend as WebGpuBackend;
  let failure: LaconicError | null = null;
  device.onuncapturederror = ({ error }) => {
    const full = error.constructor.name === "GPUOutOfMemoryError";
    failure ??= new LaconicError(
      full ? "device_out_of_memory" : "engine_failed",
      `WebGPU: ${error.message.split("\n")[0]}`,
      { device: "webgpu" },
    );
  };
  void device.lost.then(({ reason, message }) => {
    failure ??= new LaconicError("engine_failed", `the GPU was lost (${reason}): ${message}`, { device: "webgpu" });
  });
  return () => failure;
}
