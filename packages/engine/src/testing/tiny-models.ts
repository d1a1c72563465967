import { randomFromSeed } from "@laconic/core";
import { sizeOf } from "../kernels/index.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { parameterShapes } from "../transformer/parameters.ts";

const common = {
  num_hidden_layers: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 32,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  tie_word_embeddings: true,
};

/** Configurations small enough for finite differences: all architectures, odd sizes, grouped, tied and untied heads. */
export const tinyConfigs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "qwen2, tied head, 2 query heads per key": {
    ...common,
    model_type: "qwen2",
    vocab_size: 11,
    hidden_size: 12,
    intermediate_size: 10,
    num_attention_heads: 2,
    rms_norm_eps: 1e-6,
  },
  "qwen3, free head, 4 query heads per key, heads wider than the model": {
    ...common,
    model_type: "qwen3",
    vocab_size: 13,
    hidden_size: 9,
    intermediate_size: 7,
    num_attention_heads: 4,
    head_dim: 6,
    rope_theta: 1000000,
    tie_word_embeddings: false,
  },
  "qwen3, tied head": {
    ...common,
    model_type: "qwen3",
    vocab_size: 7,
    hidden_size: 8,
    intermediate_size: 5,
    num_hidden_layers: 1,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 4,
    rms_norm_eps: 1e-6,
  },
  "llama, free head, biases, stretched positions": {
    ...common,
    model_type: "llama",
    vocab_size: 10,
    hidden_size: 12,
    intermediate_size: 9,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    attention_bias: true,
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
  "llama, tied head, 3 layers": {
    ...common,
    model_type: "llama",
    vocab_size: 6,
    hidden_size: 4,
    intermediate_size: 6,
    num_hidden_layers: 3,
    num_attention_heads: 2,
  },
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
