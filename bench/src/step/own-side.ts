// Our side of step.ts. The first argument is the device.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { randomFromSeed, type SampleRequest, type TrainableModel } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { torchKernels } from "@laconic/kernels-torch";
import type { StepJob, StepResult, StepSeconds } from "./job.ts";
import { advantagesOf, gspoUpdate } from "./update.ts";

const job = JSON.parse(readFileSync(0, "utf8")) as StepJob;
const { prompts, generations, maxTokens } = job;
const devices = {
  cpu: () => torchKernels({ device: "cpu", threads: job.threads }),
  wasm: () => wasmKernels({ threads: job.threads }),
  "wasm-fma": () => wasmKernels({ threads: job.threads, fma: true }),
} as const;
const device = devices[(process.argv[2] ?? "cpu") as keyof typeof devices]();

const engine = await createLocalEngine({ device });
const model = await engine.createModel({ kind: "folder", path: job.checkpoint });
const clock = { cpu: { rollout: 0, update: 0 }, wall: { rollout: 0, update: 0 } };
let completionTokens = 0;
for (let step = -job.warmUp; step < job.steps; step++) {
  const samples = await timed("rollout", step, () => rollout(model, step + job.warmUp));
  if (step >= 0) completionTokens += samples.reduce((sum, { tokens }) => sum + tokens.length, 0);
  await timed("update", step, () => update(model, samples));
}
const perStep = ({ rollout: r, update: u }: StepSeconds): StepSeconds => ({
  rollout: r / job.steps,
  update: u / job.steps,
});
const result: StepResult = {
  side: engine.capabilities.backend,
  completionTokens,
  cpu: perStep(clock.cpu),
  wall: perStep(clock.wall),
  peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
};
await engine.close();
console.log(JSON.stringify(result));

async function timed<T>(part: keyof StepSeconds, step: number, body: () => Promise<T>): Promise<T> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const value = await body();
  if (step >= 0) {
    const { user, system } = process.cpuUsage(cpu);
    clock.cpu[part] += (user + system) / 1e6;
    clock.wall[part] += (performance.now() - start) / 1000;
  }
  return value;
}

type Samples = Awaited<ReturnType<TrainableModel["sample"]>>;

function rollout(sampler: TrainableModel, step: number): Promise<Samples> {
  const random = randomFromSeed(step);
  return sampler.sample(
    prompts.flatMap((promptTokens, p) =>
      Array.from({ length: generations }, (_, g): SampleRequest => ({
        promptTokens,
        sampling: { temperature: 1, maxTokens },
        stopTokens: [],
        random: random.split(`${p},${g}`).state(),
      })),
    ),
  );
}

/** The reward counts even tokens. */
async function update(trained: TrainableModel, samples: Samples): Promise<void> {
  const rewards = samples.map(({ tokens }) => tokens.filter((token) => token % 2 === 0).length);
  const sequences = samples.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens }));
  await gspoUpdate(trained, sequences, advantagesOf(rewards, generations), job.learningRate);
}
