import type { LibraryHandle } from "koffi";
import type { DeviceMemory } from "@laconic/engine/kernels";
import { cudaNames } from "../find/nvidia-libraries.ts";
import type { TorchInstall } from "../find/torch-install.ts";
import { koffi, Slots } from "./native-memory.ts";
import type { NativeFunction } from "./shims.ts";

/** Events in a GPU's queue. */
export interface DeviceEvents {
  /** Marks the end of the queued work. `wait` returns when the GPU has passed it; call it once. */
  record(): { wait(): void };
}

const disableTiming = 2;

/** Opens the first CUDA runtime found; null without one. */
function fromCudaRuntime<T>(install: TorchInstall, open: (runtime: LibraryHandle) => T): T | null {
  for (const name of cudaNames(install))
    try {
      return open(koffi().load(name));
    } catch {
      // Try the next name.
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

/** @param currentStream - PyTorch's function for the thread's stream on GPU `index` */
export function cudaEvents(install: TorchInstall, currentStream: NativeFunction, index: number): DeviceEvents | null {
  return fromCudaRuntime(install, (runtime) => {
    const create = runtime.func("int cudaEventCreateWithFlags(uint64_t, uint32_t)") as NativeFunction;
    const mark = runtime.func("int cudaEventRecord(uint64_t, uint64_t)") as NativeFunction;
    const synchronize = runtime.func("int cudaEventSynchronize(uint64_t)") as NativeFunction;
    const slots = new Slots(1);
    /** Queried at first use: this starts the GPU. */
    let stream: number | null = null;
    const streamOfThread = (): number => {
      currentStream(index, slots.address);
      return slots.integer(0);
    };
    const spare: number[] = [];
    return {
      record() {
        stream ??= streamOfThread();
        if (spare.length === 0) {
          create(slots.addressOf(0), disableTiming);
          spare.push(slots.integer(0));
        }
        const event = spare.pop() as number;
        mark(event, stream);
        return {
          wait() {
            synchronize(event);
            spare.push(event);
          },
        };
      },
    };
  });
}
