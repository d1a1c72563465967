import type { UnknownRecord } from "@laconic/core";
import type { ConfigReader } from "./config-reader.ts";

/** A layer may have norms around its two blocks. */
export type NormPlace = "beforeAttention" | "afterAttention" | "beforeFeedForward" | "afterFeedForward";

/** Checkpoint names of a layer's norms; absent without the norm. */
export type LayerNorms = Partial<Readonly<Record<NormPlace, string>>>;

/** Norms of queries and keys: over each head or over the whole projection. */
export interface QkNorm {
  readonly over: "head" | "projection";
  readonly afterRotation?: true;
  /** Checkpoint names. */
  readonly query: string;
  readonly key: string;
}

/** Factors of activations. `attentionScale` multiplies scores. */
export interface Scales {
  readonly embeddingScale: number;
  readonly attentionScale: number;
  readonly residualScale: number;
  readonly logitsScale: number;
}

/** Features of a `model_type` of transformers. */
export interface Family {
  /** Defaults of the config class, unless common. */
  readonly defaults?: UnknownRecord;
  readonly norms: LayerNorms;
  /** Norms multiply by 1 + weight. */
  readonly normOffset?: true;
  readonly qkNorm?: QkNorm;
  /** Biases of q, k and v, the output and the feed-forward block: keys of config.json or constants. */
  readonly biases?: readonly (string | boolean)[];
  /** Joint projections in the checkpoint. */
  readonly fused?: readonly ("qkv_proj" | "gate_up_proj")[];
  /** Adjacent elements rotate together, instead of the halves of a head. */
  readonly adjacentPairs?: true;
  /** Reads `partial_rotary_factor`. */
  readonly partialRotation?: true;
  /** Other names of rope types. */
  readonly ropeTypes?: Readonly<Record<string, string>>;
  /** Windowed layers have another rotation, by default with `rope_local_base_freq`. */
  readonly localRotation?: true;
  /** Default: all layers rotate. */
  readonly rotates?: (layer: number, keys: ConfigReader, slides: boolean) => boolean;
  /** Layers with a window unless `layer_types` says so. Default: none. */
  readonly slides?: (layer: number, keys: ConfigReader) => boolean;
  /** `layer_types` is ignored. */
  readonly slidesAlways?: true;
  readonly scales?: (keys: ConfigReader) => Partial<Scales>;
  /** Key of the activation. Default `hidden_act`. */
  readonly activation?: string;
  /** The feed-forward block has no gate. */
  readonly ungated?: boolean;
  /** Dropout keys without effect here. */
  readonly ignored?: readonly string[];
}

type Row = Partial<Family>;

const before: LayerNorms = { beforeAttention: "input_layernorm", beforeFeedForward: "post_attention_layernorm" };
const after: LayerNorms = {
  afterAttention: "post_attention_layernorm",
  afterFeedForward: "post_feedforward_layernorm",
};
const perHead: QkNorm = { over: "head", query: "q_norm", key: "k_norm" };
const attention: Row = { biases: ["attention_bias", "attention_bias"] };
const llama: Row = { biases: ["attention_bias", "attention_bias", "mlp_bias"] };
const lateWindow: Family["slides"] = (layer, keys) =>
  keys.flag("use_sliding_window") && layer >= keys.number("max_window_layers");
const byPattern: Family["slides"] = (layer, keys) => (layer + 1) % keys.number("sliding_window_pattern") !== 0;
const qwenDefaults = { num_key_value_heads: 32, max_window_layers: 28, use_sliding_window: false };
const olmoDefaults = { rms_norm_eps: 1e-5 };
const olmo: Row = { ...attention, defaults: olmoDefaults, norms: after, qkNorm: { ...perHead, over: "projection" } };
const mistral: Row = { defaults: { num_key_value_heads: 8, sliding_window: 4096 }, slides: () => true };
const glm: Row = {
  defaults: {
    num_key_value_heads: 2,
    head_dim: 128,
    rms_norm_eps: 1.5625e-7,
    attention_bias: true,
    partial_rotary_factor: 0.5,
  },
  biases: ["attention_bias"],
  fused: ["gate_up_proj"],
  adjacentPairs: true,
  partialRotation: true,
};
const gemma: Row = {
  ...attention,
  defaults: { num_key_value_heads: 16, head_dim: 256, tie_word_embeddings: true, hidden_act: "gelu_pytorch_tanh" },
  normOffset: true,
  scales: (keys) => ({ embeddingScale: Math.sqrt(keys.number("hidden_size")) }),
};

/** Follows transformers 5.18. A feature that is absent here is not read. */
const rows: Readonly<Record<string, Row>> = {
  llama,
  mistral: { ...mistral, slidesAlways: true },
  ministral: mistral,
  qwen2: { defaults: qwenDefaults, biases: [true], slides: lateWindow },
  qwen3: { ...attention, defaults: { ...qwenDefaults, head_dim: 128 }, qkNorm: perHead, slides: lateWindow },
  smollm3: {
    ...llama,
    defaults: {
      num_key_value_heads: 4,
      rope_theta: 2e6,
      tie_word_embeddings: true,
      no_rope_layer_interval: 4,
      use_sliding_window: false,
    },
    rotates: smolRotates,
    slides: (layer, keys) => keys.flag("use_sliding_window") && !smolRotates(layer, keys),
  },
  phi3: {
    defaults: { rms_norm_eps: 1e-5, original_max_position_embeddings: 4096 },
    fused: ["qkv_proj", "gate_up_proj"],
    partialRotation: true,
    ropeTypes: { su: "longrope", yarn: "longrope" },
    slides: () => true,
    slidesAlways: true,
  },
  olmo2: olmo,
  olmo3: {
    ...olmo,
    defaults: { ...olmoDefaults, rope_theta: 5e5, rope_local_base_freq: 5e5, sliding_window: 4096 },
    localRotation: true,
    slides: byPattern,
  },
  granite: {
    ...llama,
    defaults: { embedding_multiplier: 1, attention_multiplier: 1, residual_multiplier: 1, logits_scaling: 1 },
    scales: (keys) => ({
      embeddingScale: keys.number("embedding_multiplier"),
      attentionScale: keys.number("attention_multiplier"),
      residualScale: keys.number("residual_multiplier"),
      logitsScale: 1 / keys.number("logits_scaling"),
    }),
    ignored: ["attention_dropout"],
  },
  seed_oss: {
    defaults: { num_key_value_heads: 8, head_dim: 128, attention_bias: true },
    biases: ["attention_bias", "attention_out_bias", "mlp_bias"],
    ignored: ["attention_dropout", "residual_dropout"],
  },
  exaone4: {
    defaults: { rms_norm_eps: 1e-5, num_key_value_heads: 32, sliding_window: 4096 },
    norms: after,
    qkNorm: perHead,
    rotates: (_, keys, slides) => slides || keys.value("sliding_window") === null,
    slides: byPattern,
  },
  helium: {
    defaults: { num_key_value_heads: 20, head_dim: 128, rms_norm_eps: 1e-8, rope_theta: 1e5 },
    biases: ["attention_bias", false, "mlp_bias"],
    adjacentPairs: true,
  },
  ernie4_5: {
    defaults: { num_key_value_heads: 2, head_dim: 128, rms_norm_eps: 1e-5, rope_theta: 5e5, tie_word_embeddings: true },
    biases: ["use_bias", "use_bias", "use_bias"],
    adjacentPairs: true,
  },
  glm,
  glm4: {
    ...glm,
    norms: { ...before, afterAttention: "post_self_attn_layernorm", afterFeedForward: "post_mlp_layernorm" },
  },
  arcee: { ...llama, defaults: { rms_norm_eps: 1e-5, hidden_act: "relu2" }, ungated: true },
  gemma,
  gemma3_text: {
    ...gemma,
    defaults: {
      ...gemma.defaults,
      num_key_value_heads: 4,
      hidden_activation: "gelu_pytorch_tanh",
      rope_theta: 1e6,
      rope_local_base_freq: 10000,
      sliding_window: 4096,
      sliding_window_pattern: 6,
      query_pre_attn_scalar: 256,
    },
    norms: { ...after, beforeAttention: "input_layernorm", beforeFeedForward: "pre_feedforward_layernorm" },
    qkNorm: perHead,
    localRotation: true,
    slides: byPattern,
    scales: (keys) => ({ ...gemma.scales?.(keys), attentionScale: keys.number("query_pre_attn_scalar") ** -0.5 }),
    activation: "hidden_activation",
  },
  hunyuan_v1_dense: {
    ...attention,
    defaults: { rms_norm_eps: 1e-5 },
    ropeTypes: { dynamic: "ntk-alpha" },
    qkNorm: { over: "head", afterRotation: true, query: "query_layernorm", key: "key_layernorm" },
  },
};

export const families: Readonly<Record<string, Family>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, { norms: before, ...row }]),
);

function smolRotates(layer: number, keys: ConfigReader): boolean {
  const layers = keys.value("no_rope_layers");
  if (Array.isArray(layers)) return Boolean(layers[layer]);
  return (layer + 1) % keys.number("no_rope_layer_interval") !== 0;
}

/** Families of transformers by a feature that is missing here. */
export const missingFeatures: Readonly<Record<string, readonly string[]>> = {
  experts: ["qwen2_moe", "qwen3_moe", "mixtral", "olmoe"],
  "soft caps (attn_logit_softcapping)": ["gemma2"],
  "images; its text model gemma3_text": ["gemma3"],
  "layer norms without RMS": ["cohere", "olmo", "stablelm", "nemotron"],
  "the activation xielu (hidden_act)": ["apertus"],
};
