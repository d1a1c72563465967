import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";

const qwen2 = {
  model_type: "qwen2",
  vocab_size: 151936,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  max_position_embeddings: 32768,
  rms_norm_eps: 1e-6,
  rope_theta: 1000000,
  tie_word_embeddings: true,
  use_sliding_window: false,
  hidden_act: "silu",
};

test("reads Qwen2: biases on queries, keys and values only", () => {
  expect(parseModelConfig(qwen2)).toEqual({
    modelType: "qwen2",
    vocabularySize: 151936,
    hiddenSize: 896,
    layers: 24,
    queryHeads: 14,
    kvHeads: 2,
    headDim: 64,
    feedForwardSize: 4864,
    rmsNormEpsilon: 1e-6,
    ropeTheta: 1000000,
    ropeScaling: null,
    maxPositions: 32768,
    tiedHead: true,
    qkvBias: true,
    outputBias: false,
    qkNorm: false,
    initializerRange: 0.02,
  } satisfies ModelConfig);
});

test("reads Qwen3: norms on queries and keys, a separate head width, no biases", () => {
  const config = parseModelConfig({ ...qwen2, model_type: "qwen3", head_dim: 128, attention_bias: false });
  expect(config).toMatchObject({ headDim: 128, qkNorm: true, qkvBias: false, outputBias: false });
});

test("reads Llama: plain, or with biases on all four projections", () => {
  const llama = { ...qwen2, model_type: "llama", tie_word_embeddings: false };
  expect(parseModelConfig(llama)).toMatchObject({ qkvBias: false, outputBias: false, qkNorm: false, tiedHead: false });
  expect(parseModelConfig({ ...llama, attention_bias: true })).toMatchObject({ qkvBias: true, outputBias: true });
});

test("Mistral without a sliding window is a Llama", () => {
  const mistral = parseModelConfig({ ...qwen2, model_type: "mistral", sliding_window: null, head_dim: 32 });
  const llama = parseModelConfig({ ...qwen2, model_type: "llama", head_dim: 32 });
  expect(mistral).toEqual({ ...llama, modelType: "mistral" });
});

test("optional keys take Hugging Face's defaults", () => {
  const { num_key_value_heads: _, rms_norm_eps: _eps, rope_theta: _theta, tie_word_embeddings: _tie, ...rest } = qwen2;
  expect(parseModelConfig({ ...rest, model_type: "llama" })).toMatchObject({
    kvHeads: 14,
    rmsNormEpsilon: 1e-6,
    ropeTheta: 10000,
    tiedHead: false,
  });
});

test.each([
  ["llama", { rope_theta: null }, { ropeTheta: 10000 }],
  ["llama", { rope_parameters: { rope_type: "default", rope_theta: null } }, { ropeTheta: 1000000 }],
  ["llama", { rope_theta: null, rope_parameters: { rope_theta: null } }, { ropeTheta: 10000 }],
  ["llama", { rope_scaling: { factor: null } }, { ropeScaling: null }],
  ["llama", { num_key_value_heads: null, head_dim: null }, { kvHeads: 14, headDim: 64 }],
  ["llama", { num_key_value_heads: undefined, head_dim: undefined }, { kvHeads: 14, headDim: 64 }],
  ["qwen2", { num_key_value_heads: null, head_dim: null }, { kvHeads: 14, headDim: 64 }],
  ["qwen2", { num_key_value_heads: undefined, num_attention_heads: 32 }, { kvHeads: 32, headDim: 28 }],
  ["qwen3", { head_dim: undefined }, { kvHeads: 2, headDim: 128 }],
  ["qwen3", { num_key_value_heads: undefined, num_attention_heads: 64 }, { kvHeads: 32, headDim: 128 }],
  ["mistral", { sliding_window: null, num_key_value_heads: undefined, num_attention_heads: 16 }, { kvHeads: 8 }],
  ["mistral", { sliding_window: null, layer_types: null, head_dim: null }, { headDim: 64 }],
] as const)("a %s with %j is what transformers reads", (type, change, expected) => {
  expect(parseModelConfig({ ...qwen2, model_type: type, ...change })).toMatchObject(expected);
});

const llama3 = {
  rope_type: "llama3",
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};
const stretched = { factor: 8, lowFrequencyFactor: 1, highFrequencyFactor: 4, originalMaxPositions: 8192 };

test("reads Llama 3.1's stretched positions, in the old and in the new place", () => {
  const old = parseModelConfig({ ...qwen2, model_type: "llama", rope_scaling: llama3 });
  const recent = parseModelConfig({
    ...qwen2,
    rope_theta: undefined,
    rope_parameters: { ...llama3, rope_theta: 500000 },
  });
  expect(old).toMatchObject({ ropeTheta: 1000000, ropeScaling: stretched });
  expect(recent).toMatchObject({ ropeTheta: 500000, ropeScaling: stretched });
  expect(parseModelConfig({ ...qwen2, rope_scaling: null }).ropeScaling).toBeNull();
});

test.each<[key: string, change: Readonly<Record<string, unknown>>]>([
  ["model_type", { model_type: "gpt2" }],
  ["model_type", { model_type: undefined }],
  ["hidden_act", { hidden_act: "gelu" }],
  ["use_sliding_window", { use_sliding_window: true }],
  ["layer_types", { layer_types: ["full_attention", "sliding_attention"] }],
  ["mlp_bias", { model_type: "llama", mlp_bias: true }],
  ["attention_dropout", { attention_dropout: 0.1 }],
  ["attention_bias", { model_type: "qwen3", attention_bias: true }],
  ["rope_scaling.rope_type", { rope_scaling: { rope_type: "yarn", factor: 4 } }],
  ["rope_scaling.rope_type", { rope_scaling: { type: "linear", factor: 2 } }],
  ["rope_scaling.rope_type", { rope_scaling: { factor: 2 } }],
  ["rope_scaling", { rope_scaling: "linear" }],
  ["rope_scaling.full_attention", { rope_parameters: { full_attention: { rope_theta: 1e6 } } }],
  ["rope_scaling.mrope_section", { rope_scaling: { rope_type: "default", mrope_section: [16, 24, 24] } }],
  ["rope_scaling.rope_type", { rope_scaling: { rope_type: "dynamic", factor: 2 } }],
  ["factor", { rope_scaling: { ...llama3, factor: 0.5 } }],
  ["high_freq_factor", { rope_scaling: { ...llama3, high_freq_factor: 1 } }],
  ["quantization_config", { quantization_config: { quant_method: "awq" } }],
  ["num_experts", { num_experts: 60 }],
  ["num_local_experts", { num_local_experts: 8 }],
  ["final_logit_softcapping", { final_logit_softcapping: 30 }],
  ["attn_logit_softcapping", { attn_logit_softcapping: 50 }],
  ["model_type", { model_type: "qwen2_moe" }],
  ["sliding_window", { model_type: "mistral", sliding_window: 4096 }],
  ["sliding_window", { model_type: "mistral" }],
  ["attention_bias", { model_type: "mistral", sliding_window: null, attention_bias: true }],
  ["attention_bias", { attention_bias: true }],
  ["factor", { rope_scaling: { ...llama3, factor: undefined } }],
  ["partial_rotary_factor", { partial_rotary_factor: 0.5 }],
  ["partial_rotary_factor", { rope_parameters: { rope_theta: 10000, partial_rotary_factor: 0.5 } }],
  ["pretraining_tp", { model_type: "llama", pretraining_tp: 2 }],
  ["vocab_size", { vocab_size: undefined }],
  ["vocab_size", { vocab_size: "many" }],
  ["hidden_size", { hidden_size: 0 }],
  ["num_hidden_layers", { num_hidden_layers: 1.5 }],
  ["intermediate_size", { intermediate_size: -1 }],
  ["max_position_embeddings", { max_position_embeddings: null }],
  ["num_key_value_heads", { num_key_value_heads: 4 }],
  ["head_dim", { hidden_size: 897 }],
  ["head_dim", { head_dim: 63 }],
  ["rms_norm_eps", { rms_norm_eps: "small" }],
])("refuses by name: %s in %j", (key, change) => {
  let thrown: unknown;
  try {
    parseModelConfig({ ...qwen2, ...change });
  } catch (error) {
    thrown = error;
  }
  expect(LaconicError.is(thrown) && [thrown.code, thrown.detail["key"]]).toEqual(["model_unsupported", key]);
  expect(String(thrown)).toContain(key);
});
