import { randomFromSeed, thrownText } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import type { CreateKernels, Kernels, KernelSource, Tensor } from "@laconic/engine/kernels";

export interface DeviceOutcome {
  readonly works: boolean;
  readonly detail: string;
  /** Whether the GPU is software; absent for CPU devices. */
  readonly emulated?: boolean;
  readonly freeBytes?: number;
}

/** Operators that fell back to the CPU, as `; aten::sort (12 calls)` each. */
async function fallbacksIn(kernels: Kernels): Promise<string> {
  if (!kernels.fallbacks) return "";
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: tinyModel, seed: "try" });
  await model.sample([
    {
      promptTokens: [1, 2, 3],
      sampling: { temperature: 1, topK: 8, topP: 0.9, maxTokens: 4 },
      stopTokens: [],
      random: randomFromSeed(1).state(),
    },
  ]);
  const counts = Object.entries(kernels.fallbacks());
  await model.dispose();
  const calls = counts.map(([name, count]) => `${name} (${count} calls)`);
  return calls.length === 0 ? "; every operator of a reply on the device" : `; on the processor: ${calls.join(", ")}`;
}

/** Multiplies two numbers on a device in this process, which a library crash ends. */
export async function tryDevice({ module, options }: KernelSource): Promise<DeviceOutcome> {
  try {
    const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
    const kernels = await createKernels(options);
    try {
      const [two, three] = [2, 3].map((value) => kernels.upload(Float32Array.of(value), [1, 1])) as [never, never];
      const works = (await kernels.read(kernels.linear(two, three)))[0] === 6;
      const memory = kernels.memory();
      return {
        works,
        detail: works ? kernels.backend + (await fallbacksIn(kernels)) : `${kernels.backend}: wrong result for 2 x 3`,
        ...(kernels.emulated === true && { emulated: true }),
        ...(memory && { freeBytes: memory.free }),
      };
    } finally {
      kernels.dispose();
    }
  } catch (error) {
    return { works: false, detail: thrownText(error) };
  }
}

export interface DeviceSpeed {
  /** Rate of large float32 matrix products, in GFLOP/s. */
  readonly gflops: number;
  /** Decode step with {@link rows} rows of the test model. */
  readonly decodeMs: number;
  /** Estimated training step: {@link tokens} decode steps, and six products per parameter and token. */
  readonly stepSeconds: number;
}

const config = {
  architectures: ["Qwen2ForCausalLM"],
  model_type: "qwen2",
  vocab_size: 4096,
  hidden_size: 256,
  intermediate_size: 768,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  initializer_range: 0.02,
};
const tinyModel = {
  ...config,
  vocab_size: 32,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 16,
};
const [rows, prompt, tokens] = [16, 16, 32] as const;

/** Measures products for 50 ms, and 24 decode steps after 24 warm-up steps. */
export async function measureDevice({ module, options }: KernelSource): Promise<DeviceSpeed> {
  const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
  const kernels = await createKernels(options);
  const gflops = await productRate(kernels);
  const engine = await createInlineEngine([kernels]);
  try {
    const model = await engine.createModel({ kind: "config", config, seed: "speed" });
    const decode = async (maxTokens: number): Promise<number> => {
      const start = performance.now();
      await model.sample(
        Array.from({ length: rows }, (_, row) => ({
          promptTokens: Array.from({ length: prompt }, (__, i) => 1 + row + i),
          sampling: { temperature: 1, maxTokens },
          stopTokens: [],
          random: randomFromSeed(row).state(),
        })),
      );
      return performance.now() - start;
    };
    await decode(24);
    // The difference removes the prompt's time.
    const [short, long] = [await decode(8), await decode(32)];
    const decodeMs = Math.max(0, long - short) / 24;
    const work = 6 * model.parameters * rows * (prompt + tokens);
    return { gflops, decodeMs, stepSeconds: (tokens * decodeMs) / 1000 + work / (gflops * 1e9) };
  } finally {
    await engine.close();
  }
}

async function productRate(kernels: Kernels): Promise<number> {
  const [height, inner] = [256, 512];
  const matrix = (size: number): Tensor =>
    kernels.upload(
      Float32Array.from({ length: size * inner }, (_, i) => ((i * 7919) % 255) / 255 - 0.5),
      [size, inner],
    );
  const [x, weight] = [matrix(height), matrix(inner)];
  try {
    for (let count = 1; ; count *= 2) {
      const start = performance.now();
      const last = kernels.scope(() => {
        let out = kernels.linear(x, weight);
        for (let i = 1; i < count; i++) out = kernels.linear(out, weight);
        return out;
      });
      // Waits for all queued products.
      await kernels.read(last);
      kernels.free(last);
      const ms = performance.now() - start;
      if (ms >= 50 || count >= 2 ** 14) return (2 * height * inner * inner * count) / ms / 1e6;
    }
  } finally {
    kernels.free(x, weight);
  }
}
