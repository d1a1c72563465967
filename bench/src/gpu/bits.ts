// Prints one hash of an update's and of replies' bits, to compare two processes.
//   bits.ts JOB_FILE DEVICE DTYPE DETERMINISTIC
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInlineEngine } from "@laconic/engine";
import { createKernels } from "@laconic/kernels-torch";
import { print } from "../measure.ts";
import type { GpuJob } from "./geometry.ts";
import { decodeRequests, updateOf } from "./work.ts";

const [jobFile, device, dtype, deterministic] = process.argv.slice(2) as [string, string, string, string];
const job = JSON.parse(readFileSync(jobFile, "utf8")) as GpuJob;
// Two layers of the true width: the order of sums does not depend on the depth.
const config = { ...job.config, num_hidden_layers: 2 };
const kernels = await createKernels({ device, dtype, ...(deterministic === "true" && { deterministic: true }) });
const engine = await createInlineEngine([kernels], { maxTokensPerMicroBatch: 4096 });
const model = await engine.createModel({ kind: "config", config, seed: "bits" });
const update = updateOf(model, { ...job, config });
for (let step = 0; step < 3; step++) await update();
const replies = await model.sample(decodeRequests({ ...job, config }, 4));
const hash = createHash("sha256");
for (const { tokens, logProbs } of replies) hash.update(Int32Array.from(tokens)).update(Float64Array.from(logProbs));
print("bits", { bits: hash.digest("hex").slice(0, 16), backend: kernels.backend });
await engine.close();
