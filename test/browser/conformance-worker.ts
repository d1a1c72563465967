// Conformance suite of kernel sets: ?device=wasm, webgpu, or wasm-threads, which splits all work that it can.
import type { CreateKernels } from "../../packages/engine/src/kernels/index.ts";
import { kernelCases } from "../../packages/engine/src/kernels/testing/index.ts";
import { createKernels as createWasm } from "../../packages/engine/src/wasm/index.ts";
import { openBinary, processors, startHelper } from "../../packages/engine/src/wasm/platform/browser.ts";
import { ThreadPool } from "../../packages/engine/src/wasm/thread-pool.ts";
import { wasmKernelSet } from "../../packages/engine/src/wasm/wasm-kernels.ts";
import { WasmMemory } from "../../packages/engine/src/wasm/wasm-memory.ts";
import { createKernels as createWebGpu } from "../../packages/engine/src/webgpu/index.ts";
import { serveTask } from "./serve-task.ts";

let pool: ThreadPool | null = null;

const createThreads: CreateKernels = async () => {
  const memory = await WasmMemory.open(await openBinary(false, {}), { shared: true });
  pool = new ThreadPool(memory, { threads: 3, start: startHelper, least: 0 });
  return wasmKernelSet(memory, pool);
};

const devices: Readonly<Record<string, CreateKernels>> = {
  wasm: createWasm,
  "wasm-threads": createThreads,
  webgpu: createWebGpu,
};

export interface ConformanceResult {
  readonly backend: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly processors: number;
  readonly helped: number;
}

serveTask(async (query): Promise<ConformanceResult> => {
  const kernels = await (devices[query.get("device") ?? ""] as CreateKernels)(undefined);
  const [passed, failed]: string[][] = [[], []];
  for (const { name, run } of kernelCases)
    try {
      await run(() => kernels);
      passed?.push(name);
    } catch (error) {
      failed?.push(`${name}: ${String(error)}`);
    }
  // Threads start only when this one yields.
  for (let i = 0; pool && pool.helped === 0 && i < 1000; i++) {
    kernels.scope(() => void kernels.linear(kernels.zeros([600, 64]), kernels.zeros([64, 64])));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const helped = pool?.helped ?? 0;
  return { backend: kernels.backend, passed: passed ?? [], failed: failed ?? [], processors: processors(), helped };
});
