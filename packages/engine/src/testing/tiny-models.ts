import { randomFromSeed, type UnknownRecord } from "@laconic/core";
import { sizeOf } from "../kernels/index.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { parameterShapes } from "../transformer/parameters.ts";

interface TinySizes {
  readonly vocabulary: number;
  readonly width: number;
  readonly inner: number;
  readonly heads: number;
  /** Default 1. */
  readonly keyValueHeads?: number;
  /** Default 2. */
  readonly layers?: number;
}

/** Configuration with a tied head. @param others - further keys, or other values */
export function tinyConfig(
  modelType: "llama" | "qwen2" | "qwen3",
  { vocabulary, width, inner, heads, keyValueHeads = 1, layers = 2 }: TinySizes,
  others: UnknownRecord = {},
): UnknownRecord {
  return {
    model_type: modelType,
    vocab_size: vocabulary,
    hidden_size: width,
    intermediate_size: inner,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: keyValueHeads,
    max_position_embeddings: 32,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    tie_word_embeddings: true,
    ...others,
  };
}

/** Configurations small enough for finite differences: all architectures, odd sizes, grouped, tied and untied heads. */
export const tinyConfigs: Readonly<Record<string, UnknownRecord>> = {
  "qwen2, tied head, 2 query heads per key": tinyConfig("qwen2", { vocabulary: 11, width: 12, inner: 10, heads: 2 }),
  "qwen3, free head, 4 query heads per key, heads wider than the model": tinyConfig(
    "qwen3",
    { vocabulary: 13, width: 9, inner: 7, heads: 4 },
    { head_dim: 6, rms_norm_eps: 1e-5, rope_theta: 1_000_000, tie_word_embeddings: false },
  ),
  "qwen3, tied head": tinyConfig(
    "qwen3",
    { vocabulary: 7, width: 8, inner: 5, heads: 4, keyValueHeads: 2, layers: 1 },
    { head_dim: 4 },
  ),
  "llama, free head, biases, stretched positions": tinyConfig(
    "llama",
    { vocabulary: 10, width: 12, inner: 9, heads: 2, keyValueHeads: 2 },
    {
      attention_bias: true,
      rms_norm_eps: 1e-5,
      rope_theta: 20,
      rope_scaling: {
        rope_type: "llama3",
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 16,
      },
      tie_word_embeddings: false,
    },
  ),
  "llama, tied head, 3 layers": tinyConfig(
    "llama",
    { vocabulary: 6, width: 4, inner: 6, heads: 2, layers: 3 },
    { rms_norm_eps: 1e-5 },
  ),
};

/** Weights large enough that every part matters; norms near 1, nonzero biases. */
export function randomParameters(config: ModelConfig, seed: string | number): Map<string, Float64Array> {
  const parameters = new Map<string, Float64Array>();
  for (const [name, shape] of parameterShapes(config)) {
    const random = randomFromSeed(`${seed} ${name}`);
    const length = sizeOf(shape);
    const centre = name.endsWith("norm.weight") ? 1 : 0;
    parameters.set(
      name,
      Float64Array.from({ length }, () => centre + 0.4 * random.normal()),
    );
  }
  return parameters;
}
