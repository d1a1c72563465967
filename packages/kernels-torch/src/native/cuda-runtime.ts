import type { LibraryHandle } from "koffi";
import { koffi } from "./koffi.ts";
import type { DeviceMemory } from "@laconic/engine/kernels";
import { cudaNames } from "../find/nvidia-libraries.ts";
import type { TorchInstall } from "../find/torch-install.ts";

/** What the CUDA runtime gives, from the first library of that name that has it; null without one. */
export function fromCudaRuntime<T>(install: TorchInstall, open: (runtime: LibraryHandle) => T): T | null {
  for (const name of cudaNames("cudart", install))
    try {
      return open(koffi().load(name));
    } catch {
      // The next name.
    }
  return null;
}

/** Free and total bytes of the thread's GPU; null without the runtime. */
export function cudaMemory(install: TorchInstall): (() => DeviceMemory) | null {
  return fromCudaRuntime(install, (runtime) => {
    const query = runtime.func("int cudaMemGetInfo(_Out_ size_t*, _Out_ size_t*)");
    return () => {
      const free = [0];
      const total = [0];
      query(free, total);
      return { free: Number(free[0]), total: Number(total[0]) };
    };
  });
}
