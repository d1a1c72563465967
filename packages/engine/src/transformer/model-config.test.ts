import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { families, type Family } from "./families.ts";
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

function frequencies(theta: number, size = 64): number[] {
  return Array.from({ length: size / 2 }, (_, i) => theta ** ((-2 * i) / size));
}

const turning = (theta: number): object => ({ rotations: [{ frequencies: frequencies(theta), scale: 1 }] });

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
    rotations: [{ frequencies: frequencies(1000000), scale: 1, maxPositions: 32768 }],
    layerRotations: new Array(24).fill(0),
    maxPositions: 32768,
    tiedHead: true,
    family: families["qwen2"] as Family,
    qkvBias: true,
    outputBias: false,
    feedForwardBias: false,
    gateCurve: { slope: 1, cubic: 0 },
    embeddingScale: 1,
    attentionScale: 0.125,
    residualScale: 1,
    logitsScale: 1,
    initializerRange: 0.02,
  } satisfies ModelConfig);
});

test("reads Qwen3: norms on queries and keys, a separate head width, no biases", () => {
  const config = parseModelConfig({ ...qwen2, model_type: "qwen3", head_dim: 128, attention_bias: false });
  expect(config).toMatchObject({
    headDim: 128,
    family: { qkNorm: { over: "head" } },
    qkvBias: false,
    outputBias: false,
  });
});

test("reads Llama: plain, or with biases on all four projections", () => {
  const llama = { ...qwen2, model_type: "llama", tie_word_embeddings: false };
  expect(parseModelConfig(llama)).toMatchObject({ qkvBias: false, outputBias: false, tiedHead: false });
  expect(parseModelConfig({ ...llama, attention_bias: true })).toMatchObject({ qkvBias: true, outputBias: true });
});

test("Mistral without a sliding window is a Llama", () => {
  const mistral = parseModelConfig({ ...qwen2, model_type: "mistral", sliding_window: null, head_dim: 32 });
  const llama = parseModelConfig({ ...qwen2, model_type: "llama", head_dim: 32 });
  expect(mistral).toEqual({ ...llama, modelType: "mistral", family: families["mistral"] });
});

test("optional keys take Hugging Face's defaults", () => {
  const { num_key_value_heads: _, rms_norm_eps: _eps, rope_theta: _theta, tie_word_embeddings: _tie, ...rest } = qwen2;
  expect(parseModelConfig({ ...rest, model_type: "llama" })).toMatchObject({
    kvHeads: 14,
    rmsNormEpsilon: 1e-6,
    ...turning(10000),
    tiedHead: false,
  });
});

test.each([
  ["llama", { rope_theta: null }, turning(10000)],
  ["llama", { rope_parameters: { rope_type: "default", rope_theta: null } }, turning(1000000)],
  ["llama", { rope_theta: null, rope_parameters: { rope_theta: null } }, turning(10000)],
  ["llama", { rope_scaling: { factor: null } }, turning(1000000)],
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

test("reads Llama 3.1's stretched positions, in the old and in the new place", () => {
  const old = parseModelConfig({ ...qwen2, rope_theta: 500000, model_type: "llama", rope_scaling: llama3 });
  const recent = parseModelConfig({
    ...qwen2,
    rope_theta: undefined,
    rope_parameters: { ...llama3, rope_theta: 500000 },
  });
  const [stretched] = recent.rotations;
  expect(old.rotations).toEqual([stretched]);
  expect(stretched?.frequencies.map((value, i) => (frequencies(500000)[i] as number) / value)).toMatchObject({
    0: 1,
    10: 1,
    28: 8,
    31: 8,
  });
  expect(parseModelConfig({ ...qwen2, rope_scaling: null })).toMatchObject(turning(1000000));
});

const sliding = new Array(24).fill("sliding_attention");

test.each([
  ["mistral", { sliding_window: 4096 }, 4096],
  ["mistral", {}, 4096],
  ["qwen2", { use_sliding_window: true, max_window_layers: 20, sliding_window: 512 }, 512],
  ["qwen2", { use_sliding_window: true, max_window_layers: 24, sliding_window: 512 }, 32768],
  ["phi3", { rope_scaling: { type: "su", short_factor: new Array(32).fill(1), long_factor: [] } }, 4096],
  ["olmo3", { sliding_window: 100 }, 100],
  ["olmo3", { sliding_window: 100, layer_types: new Array(24).fill("full_attention") }, 32768],
] as const)("positions of a %s with %j end where attention is no longer full", (type, change, maxPositions) => {
  const { sliding_window: _, ...rest } = { ...qwen2, sliding_window: 0, model_type: type };
  expect(parseModelConfig({ ...rest, ...change })).toMatchObject({ maxPositions });
});

test.each<[key: string, change: Readonly<Record<string, unknown>>]>([
  ["model_type", { model_type: "gpt2" }],
  ["model_type", { model_type: undefined }],
  ["hidden_act", { hidden_act: "gelu" }],
  ["use_sliding_window", { model_type: "llama", use_sliding_window: true }],
  ["sliding_window", { layer_types: sliding }],
  ["layer_types", { layer_types: ["full_attention", "sliding_attention"] }],
  ["mlp_bias", { mlp_bias: true }],
  ["attention_dropout", { attention_dropout: 0.1 }],
  ["rope_scaling.rope_type", { rope_scaling: { rope_type: "proportional", factor: 4 } }],
  ["factor", { rope_scaling: { type: "linear" } }],
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
  ["sliding_window", { model_type: "mistral", sliding_window: -1 }],
  ["short_factor", { model_type: "phi3", rope_scaling: { type: "longrope", short_factor: [1] } }],
  ["rope_parameters.rope_theta", { model_type: "olmo3", sliding_window: 4, rope_parameters: { rope_theta: 10 } }],
  ["logits_scaling", { logits_scaling: 8 }],
  ["attention_bias", { model_type: "mistral", sliding_window: null, attention_bias: true }],
  ["attention_bias", { attention_bias: true }],
  ["factor", { rope_scaling: { ...llama3, factor: undefined } }],
  ["partial_rotary_factor", { partial_rotary_factor: 0.5 }],
  ["partial_rotary_factor", { rope_parameters: { rope_theta: 10000, partial_rotary_factor: 0.5 } }],
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
