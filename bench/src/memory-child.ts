// One measurement of memory.ts: prints peak bytes and CPU seconds.
import { readFileSync, writeFileSync } from "node:fs";
import { parseModelConfig } from "@laconic/engine";
import { holdTraining } from "@laconic/engine/testing";
import type { Kernels, Tensor } from "@laconic/engine/kernels";
import { createKernels } from "@laconic/kernels-torch";
import type { MemoryCase } from "./memory.ts";
import { readWords } from "./options.ts";

const { work, config, settings } = JSON.parse(readWords()[0] as string) as MemoryCase;

function bytes(field: "VmRSS" | "VmHWM"): number {
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}

async function measured(body: () => Promise<void> | void): Promise<{ peakBytes: number; cpuSeconds: number }> {
  const before = bytes("VmRSS");
  // Resets the peak to the current memory.
  writeFileSync("/proc/self/clear_refs", "5");
  const start = process.cpuUsage();
  await body();
  const { user, system } = process.cpuUsage(start);
  return { peakBytes: bytes("VmHWM") - before, cpuSeconds: (user + system) / 1e6 };
}

async function head(kernels: Kernels): Promise<Record<string, unknown>> {
  const [rows, vocabulary, width] = [
    settings.microBatch * settings.completionTokens,
    config["vocab_size"] as number,
    config["hidden_size"] as number,
  ];
  const full = (value: number): Tensor => kernels.upload(new Float32Array(rows).fill(value), [rows], "full");
  const input = {
    hidden: kernels.zeros([rows, width]),
    weight: kernels.zeros([vocabulary, width]),
    targets: kernels.upload(new Int32Array(rows), [rows]),
    inverseTemperature: full(1),
  };
  const dLogProbs = full(1);
  const results: Tensor[] = [];
  const forward = await measured(() => {
    results.push(
      ...Object.values(kernels.headLogProbs(input.hidden, input.weight, input.targets, input.inverseTemperature)),
    );
  });
  const logSumExp = results[2] as Tensor;
  const dWeight = kernels.zeros([vocabulary, width], "full");
  const backward = await measured(() => {
    const into = { dWeight: { tensor: dWeight, add: true } };
    kernels.headLogProbsBackward(dLogProbs, { ...input, logSumExp }, { weight: true }, into);
  });
  const allLogits = 4 * rows * vocabulary;
  return { forward, backward, shares: [forward.peakBytes / allLogits, backward.peakBytes / allLogits] };
}

const kernels = await createKernels({ device: "cpu", threads: 1 });
const small = parseModelConfig({ ...config, vocab_size: 64, max_position_embeddings: 64, num_hidden_layers: 1 });
await holdTraining(kernels, small, { ...settings, promptTokens: 8, completionTokens: 8, microBatch: 2 });
const result =
  work === "head"
    ? await head(kernels)
    : await measured(() => holdTraining(kernels, parseModelConfig(config), settings));
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
