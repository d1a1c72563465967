// The conformance suite of kernel sets: ?device=wasm or webgpu.
import type { CreateKernels } from "../../packages/kernels/src/index.ts";
import { kernelCases } from "../../packages/kernels/src/testing/index.ts";
import { createKernels as createWasm } from "../../packages/kernels-wasm/src/index.ts";
import { createKernels as createWebGpu } from "../../packages/kernels-webgpu/src/index.ts";
import { serveTask } from "./serve-task.ts";

const devices: Readonly<Record<string, CreateKernels>> = { wasm: createWasm, webgpu: createWebGpu };

export interface ConformanceResult {
  readonly backend: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
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
  return { backend: kernels.backend, passed: passed ?? [], failed: failed ?? [] };
});
