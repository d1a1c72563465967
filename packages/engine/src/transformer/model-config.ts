import { isRecord, LaconicError, shownValue, type UnknownRecord } from "@laconic/core";

const modelTypes = ["qwen2", "qwen3", "llama", "mistral"] as const;

type ModelType = (typeof modelTypes)[number];

/** Supported decoder-only architectures. */
export interface ModelConfig {
  readonly modelType: ModelType;
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly feedForwardSize: number;
  readonly rmsNormEpsilon: number;
  readonly ropeTheta: number;
  readonly ropeScaling: Llama3RopeScaling | null;
  readonly maxPositions: number;
  readonly tiedHead: boolean;
  /** Returns a value. Absent in `config.json`. */
  readonly scalarHead?: true;
  /** Qwen2; Llama with `attention_bias`. */
  readonly qkvBias: boolean;
  /** Llama with `attention_bias`. */
  readonly outputBias: boolean;
  /** Qwen3. */
  readonly qkNorm: boolean;
  readonly initializerRange: number;
}

/** Llama 3.1's rotary scaling for long contexts. */
export interface Llama3RopeScaling {
  readonly factor: number;
  readonly lowFrequencyFactor: number;
  readonly highFrequencyFactor: number;
  readonly originalMaxPositions: number;
}

/** Rejected unless null, 0 or false. */
const foreign = [
  "quantization_config",
  "num_experts",
  "num_local_experts",
  "n_routed_experts",
  "final_logit_softcapping",
  "attn_logit_softcapping",
  "logits_soft_cap",
  "clip_qkv",
  "no_rope_layers",
] as const;

/** Several times the largest models, because tables are allocated before weights are read. */
const most = {
  vocab_size: 1 << 22,
  hidden_size: 1 << 17,
  num_attention_heads: 1 << 12,
  num_key_value_heads: 1 << 12,
  head_dim: 1 << 13,
  num_hidden_layers: 1 << 11,
  intermediate_size: 1 << 20,
  max_position_embeddings: 1 << 24,
} as const;

/** A million positions of 256. */
const maxRotaryElements = 1 << 28;

/** Defaults of transformers' classes. Null keys are derived from others. */
const presets: Readonly<Record<ModelType, { readonly kvHeads?: number; readonly headDim?: number }>> = {
  llama: {},
  mistral: { kvHeads: 8 },
  qwen2: { kvHeads: 32 },
  qwen3: { kvHeads: 32, headDim: 128 },
};

const ropeKeys: ReadonlySet<string> = new Set([
  "rope_type",
  "type",
  "rope_theta",
  "factor",
  "low_freq_factor",
  "high_freq_factor",
  "original_max_position_embeddings",
  "partial_rotary_factor",
]);

/**
 * Reads a Hugging Face `config.json` of type Qwen2, Qwen3, Llama or Mistral.
 * @throws LaconicError `model_unsupported` with the key.
 */
export function parseModelConfig(json: UnknownRecord): ModelConfig {
  const modelType = modelTypes.find((type) => type === json["model_type"]);
  if (!modelType) throw refuse("model_type", json["model_type"], `expected ${modelTypes.join(", ")}`);
  for (const key of foreign) if (json[key]) throw refuse(key, json[key], "not supported");
  if ((json["hidden_act"] ?? "silu") !== "silu")
    throw refuse("hidden_act", json["hidden_act"], "only silu is supported");
  if (json["use_sliding_window"] === true) throw refuse("use_sliding_window", true, "attention is full and causal");
  // Only Mistral has a default window (4096).
  if (modelType === "mistral" && json["sliding_window"] !== null)
    throw refuse("sliding_window", json["sliding_window"], "attention is full and causal; expected null");
  if (Array.isArray(json["layer_types"]) && json["layer_types"].some((type) => type !== "full_attention"))
    throw refuse("layer_types", json["layer_types"], "attention is full and causal");
  if ((json["pretraining_tp"] ?? 1) !== 1) throw refuse("pretraining_tp", json["pretraining_tp"], "must be 1");
  const partial = json["partial_rotary_factor"] ?? ropeBlock(json)["partial_rotary_factor"] ?? 1;
  if (partial !== 1) throw refuse("partial_rotary_factor", partial, "partial rotation is not supported");
  if (json["mlp_bias"] === true) throw refuse("mlp_bias", true, "feed-forward biases are not supported");
  if ((json["attention_dropout"] ?? 0) !== 0) throw refuse("attention_dropout", json["attention_dropout"], "must be 0");

  const hiddenSize = size(json, "hidden_size");
  const queryHeads = size(json, "num_attention_heads");
  const { kvHeads: kvHeadsPreset = queryHeads, headDim: headDimPreset = hiddenSize / queryHeads } = presets[modelType];
  const isAbsent = (key: string): boolean => json[key] === undefined;
  const kvHeads = size(json, "num_key_value_heads", isAbsent("num_key_value_heads") ? kvHeadsPreset : queryHeads);
  const headDim = size(json, "head_dim", isAbsent("head_dim") ? headDimPreset : hiddenSize / queryHeads);
  if (queryHeads % kvHeads !== 0)
    throw refuse("num_key_value_heads", kvHeads, `must divide num_attention_heads (${queryHeads})`);
  if (headDim % 2 !== 0) throw refuse("head_dim", headDim, "must be even for rotary positions");
  const maxPositions = size(json, "max_position_embeddings");
  if (maxPositions * headDim > maxRotaryElements)
    throw refuse(
      "max_position_embeddings",
      maxPositions,
      `expected at most ${maxRotaryElements / headDim} for this head size`,
    );
  const attentionBias = json["attention_bias"] === true;
  if (attentionBias && modelType !== "llama") throw refuse("attention_bias", true, `not supported for ${modelType}`);

  return {
    modelType,
    vocabularySize: size(json, "vocab_size"),
    hiddenSize,
    layers: size(json, "num_hidden_layers"),
    queryHeads,
    kvHeads,
    headDim,
    feedForwardSize: size(json, "intermediate_size"),
    rmsNormEpsilon: number(json, "rms_norm_eps", 1e-6),
    ropeTheta: ropeTheta(json),
    ropeScaling: ropeScaling(json),
    maxPositions,
    tiedHead: json["tie_word_embeddings"] === true,
    qkvBias: modelType === "qwen2" || attentionBias,
    outputBias: attentionBias,
    qkNorm: modelType === "qwen3",
    initializerRange: number(json, "initializer_range", 0.02),
  };
}

/** Older files have `rope_scaling` and top-level keys. */
function ropeBlock(json: UnknownRecord): UnknownRecord {
  const block = json["rope_parameters"] ?? json["rope_scaling"] ?? {};
  if (!isRecord(block)) throw refuse("rope_scaling", block, "expected an object");
  for (const [key, value] of Object.entries(block))
    if (!ropeKeys.has(key) && value !== null) throw refuse(`rope_scaling.${key}`, value, "not supported");
  return block;
}

function ropeTheta(json: UnknownRecord): number {
  const block = ropeBlock(json);
  return number(block, "rope_theta", number(json, "rope_theta", 10000));
}

function ropeScaling(json: UnknownRecord): Llama3RopeScaling | null {
  const block = ropeBlock(json);
  const type = block["rope_type"] ?? block["type"] ?? ((block["factor"] ?? null) === null ? "default" : undefined);
  if (type === "default") return null;
  if (type !== "llama3") throw refuse("rope_scaling.rope_type", type, "expected default or llama3");
  const scaling = {
    factor: number(block, "factor"),
    lowFrequencyFactor: number(block, "low_freq_factor"),
    highFrequencyFactor: number(block, "high_freq_factor"),
    originalMaxPositions: positive(block, "original_max_position_embeddings"),
  };
  if (scaling.factor < 1) throw refuse("factor", scaling.factor, "must be at least 1");
  if (scaling.highFrequencyFactor <= scaling.lowFrequencyFactor)
    throw refuse("high_freq_factor", scaling.highFrequencyFactor, "must be above low_freq_factor");
  return scaling;
}

function number(json: UnknownRecord, key: string, fallback?: number): number {
  const value = json[key] ?? fallback;
  if (typeof value !== "number" || !Number.isFinite(value)) throw refuse(key, value, "expected a number");
  return value;
}

function positive(json: UnknownRecord, key: string, fallback?: number): number {
  const value = number(json, key, fallback);
  if (!Number.isInteger(value) || value <= 0) throw refuse(key, value, "expected a positive whole number");
  return value;
}

function size(json: UnknownRecord, key: keyof typeof most, fallback?: number): number {
  const value = positive(json, key, fallback);
  if (value > most[key]) throw refuse(key, value, `expected at most ${most[key]}`);
  return value;
}

function refuse(key: string, value: unknown, reason: string): LaconicError {
  return new LaconicError(
    "model_unsupported",
    `config.json: ${key} is ${value === undefined ? "missing" : shownValue(value)}: ${reason}`,
    {
      key,
    },
  );
}
