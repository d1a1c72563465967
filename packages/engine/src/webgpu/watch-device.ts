import { LaconicError } from "@laconic/core";
import type { WatchedDevice } from "./gpu.ts";

/**
 * WebGPU reports errors after the call that made them: a call that fails leaves its result as it was.
 * @returns what went wrong first; null while nothing did
 */
export function watchDevice(device: WatchedDevice): () => LaconicError | null {
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
