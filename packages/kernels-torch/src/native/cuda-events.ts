import type { TorchInstall } from "../find/torch-install.ts";
import { fromCudaRuntime } from "./cuda-runtime.ts";
import type { CudaStreams } from "./cuda-streams.ts";
import type { NativeFunction } from "./native-function.ts";
import { Slots } from "./native-memory.ts";

/** Marks in a GPU's queue of work. */
export interface DeviceEvents {
  /** Marks the end of what has been enqueued so far. */
  record(): DeviceEvent;
}

/** A mark, waited for once. */
export interface DeviceEvent {
  /** Returns when the GPU has passed the mark. */
  wait(): void;
}

const disableTiming = 2;

export function cudaEvents(install: TorchInstall, streams: CudaStreams): DeviceEvents | null {
  return fromCudaRuntime(install, (runtime) => {
    const create = runtime.func("int cudaEventCreateWithFlags(uint64_t, uint32_t)") as NativeFunction;
    const mark = runtime.func("int cudaEventRecord(uint64_t, uint64_t)") as NativeFunction;
    const synchronize = runtime.func("int cudaEventSynchronize(uint64_t)") as NativeFunction;
    const slots = new Slots(1);
    /** Made once and used again: few are under way at a time. */
    const spare: number[] = [];
    return {
      record() {
        if (spare.length === 0) {
          create(slots.addressOf(0), disableTiming);
          spare.push(slots.integer(0));
        }
        const event = spare.pop() as number;
        mark(event, streams.current);
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
