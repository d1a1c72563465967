import { LaconicError } from "@laconic/core";
import type { TorchInstall } from "../find/torch-install.ts";
import { fromCudaRuntime } from "./cuda-runtime.ts";
import type { CudaStreams } from "./cuda-streams.ts";
import type { NativeFunction } from "./native-function.ts";
import { Slots } from "./native-memory.ts";

/** Address of an executable graph. */
export type Graph = number;

/** Work of a GPU's queue, captured once and launched again as one call. */
export interface DeviceGraphs {
  /** Runs `body` in the queue where graphs are captured, after everything before and before everything behind. */
  apart<T>(body: () => T): T;
  /**
   * Runs `body` with nothing executed: what it enqueues becomes a graph. What it throws is thrown on, and nothing has
   * been enqueued.
   * @returns the graph, or what CUDA says against it
   */
  capture(body: () => void): { readonly graph: Graph } | { readonly refusal: string };
  /** Enqueues a graph's work where work goes at present. */
  launch(graph: Graph): void;
  /** Waits for the GPU: the graph may be running. */
  destroy(graph: Graph): void;
}

/** What was enqueued once, to be enqueued again as one call. */
export interface CapturedGraph {
  launch(): void;
  /** Gives back the graph and the memory that it uses; waits for the GPU. */
  delete(): void;
}

/** Other threads go on as if nothing were captured. */
const threadLocal = 1;

/**
 * CUDA graphs through the CUDA runtime: PyTorch's C interface has none. They are captured on a stream that is used for
 * nothing else, because PyTorch's allocator keeps the blocks of each stream apart: what a graph writes to is nobody else's.
 */
export function cudaGraphs(install: TorchInstall, streams: CudaStreams): DeviceGraphs | null {
  return fromCudaRuntime(install, (runtime) => {
    const bind = (declaration: string): NativeFunction => runtime.func(declaration) as NativeFunction;
    const begin = bind("int cudaStreamBeginCapture(uint64_t, int)");
    const end = bind("int cudaStreamEndCapture(uint64_t, uint64_t)");
    const instantiate = bind("int cudaGraphInstantiateWithFlags(uint64_t, uint64_t, uint64_t)");
    const destroyGraph = bind("int cudaGraphDestroy(uint64_t)");
    const destroyExecutable = bind("int cudaGraphExecDestroy(uint64_t)");
    const launch = bind("int cudaGraphLaunch(uint64_t, uint64_t)");
    const synchronize = bind("int cudaDeviceSynchronize()");
    const lastError = bind("int cudaGetLastError()");
    const nameOf = runtime.func("str cudaGetErrorName(int)") as (error: number) => string;

    const slots = new Slots(2);
    /** Taken from the pool at first use: that starts the GPU. */
    let own: number | null = null;
    const onOwnStream = <T>(body: (stream: number | null) => T): T => {
      own ??= streams.fromPool();
      synchronize();
      return own === null ? body(null) : streams.on(own, () => body(own));
    };
    const failed = (step: string, status: number): { readonly refusal: string } => {
      lastError();
      return { refusal: `${step}: ${nameOf(status)}` };
    };
    return {
      apart: (body) =>
        onOwnStream(() => {
          try {
            return body();
          } finally {
            synchronize();
          }
        }),
      capture: (body) =>
        onOwnStream((stream) => {
          if (stream === null) return { refusal: "PyTorch gives no stream" };
          const started = begin(stream, threadLocal);
          if (started !== 0) return failed("begin", started);
          let ended = 0;
          try {
            body();
          } finally {
            slots.setInteger(0, 0);
            ended = end(stream, slots.addressOf(0));
            // One that body left behind would be taken for the next call's.
            lastError();
          }
          const captured = slots.integer(0);
          if (ended !== 0 || captured === 0) return failed("end", ended);
          const status = instantiate(slots.addressOf(1), captured, 0);
          destroyGraph(captured);
          return status === 0 ? { graph: slots.integer(1) } : failed("instantiate", status);
        }),
      launch(graph) {
        const status = launch(graph, streams.current);
        if (status !== 0) throw new LaconicError("engine_failed", `a graph cannot be launched: ${nameOf(status)}`);
      },
      destroy(graph) {
        synchronize();
        destroyExecutable(graph);
      },
    };
  });
}
