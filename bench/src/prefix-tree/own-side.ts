// Our side of prefix-tree.ts. The first argument is the device.
import { readFileSync } from "node:fs";
import { createLocalEngine } from "@laconic/engine";
import { torchKernels } from "@laconic/kernels-torch";
import { wasmKernels } from "@laconic/engine/wasm";
import { gspoUpdate } from "../step/update.ts";
import type { UpdateJob, UpdateResult } from "./job.ts";

const job = JSON.parse(readFileSync(0, "utf8")) as UpdateJob;
const device = process.argv[2] === "wasm" ? wasmKernels() : torchKernels({ device: "cpu", threads: job.threads });
const engine = await createLocalEngine({ device, sharePrefixes: job.shared, maxTokensPerMicroBatch: job.maxTokens });
const model = await engine.createModel({ kind: "folder", path: job.checkpoint });
const seconds: number[] = [];
let rows = 0;
for (let step = -1; step < job.steps; step++) {
  const start = process.cpuUsage();
  const { rowsPassed } = await gspoUpdate(model, job.sequences, job.advantages, 1e-6);
  const { user, system } = process.cpuUsage(start);
  if (step >= 0) seconds.push((user + system) / 1e6);
  rows = rowsPassed ?? 0;
}
await engine.close();
const result: UpdateResult = {
  side: engine.capabilities.backend,
  seconds: Math.min(...seconds),
  rows,
  peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
};
console.log(JSON.stringify(result));
