import { randomFromSeed } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import type { CreateKernels, Kernels, KernelSource, Tensor } from "@laconic/engine/kernels";

/** How fast a device is, measured. */
export interface DeviceSpeed {
  /** Of products of float32 matrices that are large for a small model, in GFLOP/s. */
  readonly gflops: number;
  /** A decode step of {@link rows} rows of the test model. */
  readonly decodeMs: number;
  /** What a training step of the test model would take: {@link tokens} decode steps, and six products a parameter and token. */
  readonly stepSeconds: number;
}

/** A random Qwen2 of 4.2 million parameters. */
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
const [rows, prompt, tokens] = [16, 16, 32] as const;

/** Starts a device and measures it: products for 50 ms, and 24 decode steps behind as many that warm up. */
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
    // The prompts take the same in both.
    const [short, long] = [await decode(8), await decode(32)];
    const decodeMs = Math.max(0, long - short) / 24;
    const work = 6 * model.parameters * rows * (prompt + tokens);
    return { gflops, decodeMs, stepSeconds: (tokens * decodeMs) / 1000 + work / (gflops * 1e9) };
  } finally {
    await engine.close();
  }
}

/** Doubles the number of products until they take 50 ms. */
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
      // What was enqueued before is done when this is read.
      await kernels.read(last);
      kernels.free(last);
      const ms = performance.now() - start;
      if (ms >= 50 || count >= 2 ** 14) return (2 * height * inner * inner * count) / ms / 1e6;
    }
  } finally {
    kernels.free(x, weight);
  }
}
