// Time per kernel operation of an update and of a decode step, one JSON object per line. With CUDA_LAUNCH_BLOCKING=1 it
// includes the GPU's time, otherwise only the host's.
//   profile.ts JOB_FILE CHECKPOINT DEVICE DTYPE
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { createInlineEngine } from "@laconic/engine";
import type { Kernels } from "@laconic/engine/kernels";
import { createKernels } from "@laconic/kernels-torch";
import { print } from "../measure.ts";
import type { GpuJob } from "./geometry.ts";
import { decodeRequests, updateOf } from "./work.ts";

const [jobFile, checkpoint, device, dtype] = process.argv.slice(2) as [string, string, string, string];
const job = JSON.parse(readFileSync(jobFile, "utf8")) as GpuJob;
const blocking = process.env["CUDA_LAUNCH_BLOCKING"] === "1";
const times = new Map<string, { calls: number; ms: number }>();

const kernels = await createKernels({ device, dtype });
const engine = await createInlineEngine([clocked(kernels)], {
  maxTokensPerMicroBatch: job.update.sequences * job.update.tokens,
});
const model = await engine.createModel({ kind: "folder", path: checkpoint });
const update = updateOf(model, job);
await update();
await profiled("update", update);
for (const rows of job.decode.rows) {
  const requests = decodeRequests(job, rows).map((request) => ({
    ...request,
    sampling: { ...request.sampling, maxTokens: 16 },
  }));
  await model.sample(requests);
  await profiled(`decode ${rows} rows x 16 tokens`, () => model.sample(requests));
}
await engine.close();

async function profiled(what: string, body: () => Promise<unknown>): Promise<void> {
  times.clear();
  const start = performance.now();
  const before = counted();
  await body();
  const ms = performance.now() - start;
  const counts = Object.fromEntries(
    Object.entries(counted()).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
  const operations = [...times].toSorted(([, a], [, b]) => b.ms - a.ms).slice(0, 16);
  const inside = [...times.values()].reduce((sum, each) => sum + each.ms, 0);
  print("profile", { what, clock: blocking ? "host and GPU" : "host", ms, insideOperations: inside, counts });
  for (const [operation, spent] of operations) print("profile", { what, operation, ...spent });
}

function counted(): Record<string, number> {
  return { ...kernels.counters?.() };
}

/** Nested calls count for the outer one. */
function clocked(inner: Kernels): Kernels {
  let depth = 0;
  return new Proxy(inner, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function" || key === "scope") return value;
      return (...args: readonly unknown[]): unknown => {
        const start = performance.now();
        depth++;
        const result: unknown = Reflect.apply(value, target, args);
        depth--;
        if (result instanceof Promise) return result.finally(() => add(String(key), start));
        if (depth === 0) add(String(key), start);
        return result;
      };
    },
  });
}

function add(operation: string, start: number): void {
  const entry = times.get(operation) ?? { calls: 0, ms: 0 };
  times.set(operation, { calls: entry.calls + 1, ms: entry.ms + performance.now() - start });
}
