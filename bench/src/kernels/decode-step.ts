// What a decode step of 256 rows asks of CUDA's libtorch, counted on a stand-in without a GPU: the layers of Qwen2.5-0.5B,
// whose calls do not depend on widths. Where PyTorch is found, also CPU seconds and peak memory of drawing 256 tokens from
// its vocabulary.
import { randomFromSeed } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import type { KernelCounters } from "@laconic/kernels";
import { createKernels, findTorch } from "@laconic/kernels-torch";
import { standInKernels } from "@laconic/kernels-torch/testing";
import { narrowQwen } from "../../../test/qwen-half-billion.ts";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";

readOptions({ options: {} });

const [rows, vocabulary] = [256, 151_936];

print("machine", machine());
print("decode step on CUDA, counted", await countedStep());
try {
  findTorch();
  for (const settings of [{}, { topK: 50 }, { topP: 0.95 }]) print("sampling", await sampling(settings));
} catch (error) {
  print("sampling", { missing: (error as Error).message });
}

/** Between a run of 40 steps and one of 30: while the same rows decode. */
async function countedStep(): Promise<Record<string, number>> {
  const { kernels } = standInKernels();
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: narrowQwen, seed: 1 });
  const run = async (maxTokens: number): Promise<KernelCounters> => {
    const before = kernels.counters?.() as KernelCounters;
    await model.sample(
      Array.from({ length: rows }, (_, seed) => ({
        promptTokens: [1, 2, 3],
        sampling: { temperature: 1, maxTokens },
        stopTokens: [],
        random: randomFromSeed(seed).state(),
      })),
    );
    const after = kernels.counters?.() as KernelCounters;
    const entries = Object.entries(after) as [keyof KernelCounters, number][];
    return Object.fromEntries(entries.map(([key, value]) => [key, value - before[key]])) as unknown as KernelCounters;
  };
  // The first run uploads what is kept with the model.
  await run(2);
  const [short, long] = [await run(30), await run(40)];
  await engine.close();
  const names = Object.keys(short) as (keyof KernelCounters)[];
  return Object.fromEntries(names.map((name) => [name, (long[name] - short[name]) / 10]));
}

async function sampling(cuts: {
  readonly topK?: number;
  readonly topP?: number;
}): Promise<Record<string, number | object>> {
  const kernels = await createKernels({ device: "cpu", threads: 1 });
  const random = randomFromSeed(1);
  const logits = kernels.upload(
    Float32Array.from({ length: rows * vocabulary }, () => 4 * random.normal()),
    [rows, vocabulary],
    "full",
  );
  const fill = (value: number): Float32Array => new Float32Array(rows).fill(value);
  const draw = async (): Promise<void> => {
    const { tokens, logProbs } = kernels.sampleTokens(logits, {
      temperature: fill(1),
      topK: new Int32Array(rows).fill(cuts.topK ?? 0),
      topP: fill(cuts.topP ?? 1),
      uniform: Float32Array.from({ length: rows }, () => random.uniform()),
    });
    await Promise.all([kernels.read(tokens), kernels.read(logProbs)]);
    kernels.free(tokens, logProbs);
  };
  const before = process.memoryUsage.rss();
  await draw();
  const start = process.cpuUsage();
  for (let i = 0; i < 3; i++) await draw();
  const { user, system } = process.cpuUsage(start);
  kernels.dispose();
  return {
    cuts,
    cpuSeconds: Math.round((user + system) / 3e3) / 1e3,
    // The peak of the process, whose logits alone are 148 MiB.
    peakMiBOverLogits: Math.round((process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20),
  };
}
