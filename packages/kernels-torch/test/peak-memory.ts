// Child process: trains with blank weights and prints its peak memory in bytes. Its argument is a JSON text with a model
// configuration, settings of the memory plan, and the folder of torch.
import { readFileSync, writeFileSync } from "node:fs";
import { parseModelConfig, type MemorySettings, type ModelConfig } from "@laconic/engine";
import { holdTraining } from "@laconic/engine/testing";
import { createKernels } from "@laconic/kernels-torch";

const { config, scalarHead, settings, torch } = JSON.parse(process.argv[2] as string) as {
  readonly config: Record<string, unknown>;
  readonly scalarHead: boolean;
  readonly settings: MemorySettings;
  readonly torch: string;
};

const parsed = (json: typeof config): ModelConfig => ({
  ...parseModelConfig(json),
  ...(scalarHead && { scalarHead: true }),
});

/** `VmRSS` is the current memory of the process, `VmHWM` its peak. */
function bytes(field: "VmRSS" | "VmHWM"): number {
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}

const kernels = await createKernels({
  device: "cpu",
  dtype: settings.dtype as "float32" | "bfloat16",
  threads: 1,
  torch,
});
// Excludes the libraries' memory at first use.
const small = { ...config, vocab_size: 64, max_position_embeddings: 64, num_hidden_layers: 1 };
await holdTraining(kernels, parsed(small), {
  ...settings,
  promptTokens: 8,
  completionTokens: 8,
  microBatch: 2,
});
const before = bytes("VmRSS");
const heap = process.memoryUsage().heapTotal;
// Resets the peak to the current memory.
writeFileSync("/proc/self/clear_refs", "5");
await holdTraining(kernels, parsed(config), settings);
// Excludes JavaScript's heap, which is not device memory.
const grown = Math.max(0, process.memoryUsage().heapTotal - heap);
process.stdout.write(`${JSON.stringify({ peak: bytes("VmHWM") - before - grown, grown })}\n`);
process.exit(0);
