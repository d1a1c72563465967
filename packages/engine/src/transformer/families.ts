import type { UnknownRecord } from "@laconic/core";
import type { ConfigReader } from "./config-reader.ts";

/** Checkpoint names of a layer's norms; null without the norm. */
export interface LayerNorms {
  readonly beforeAttention: string | null;
  readonly afterAttention: string | null;
  readonly beforeFeedForward: string | null;
  readonly afterFeedForward: string | null;
}

/** Norms of queries and keys: over each head or over the whole projection. */
export interface QkNorm {
  readonly over: "head" | "projection";
  readonly afterRotation?: true;
  /** Checkpoint names. */
  readonly query: string;
  readonly key: string;
}

type OfLayer = (layer: number, keys: ConfigReader) => boolean;
type Rotates = (layer: number, keys: ConfigReader, slides: boolean) => boolean;
type Scale = (keys: ConfigReader) => number | null;

/** Features of a `model_type` of transformers. */
export interface Family {
  /** Defaults of the config class, unless common. */
  readonly defaults?: UnknownRecord;
  readonly norms?: LayerNorms | ((keys: ConfigReader) => LayerNorms);
  /** Norms multiply by 1 + weight. */
  readonly normOffset?: true;
  readonly qkNorm?: QkNorm;
  /** Keys of config.json, or true. */
  readonly qkvBias?: string | true;
  readonly outputBias?: string;
  readonly feedForwardBias?: string;
  /** Joint projections in the checkpoint. */
  readonly fused?: readonly ("qkv_proj" | "gate_up_proj")[];
  /** Adjacent elements rotate together, instead of the halves of a head. */
  readonly adjacentPairs?: true;
  /** Reads `partial_rotary_factor`. */
  readonly partialRotation?: true;
  /** Other names of rope types. */
  readonly ropeTypes?: Readonly<Record<string, string>>;
  /** Theta of windowed layers: its key and default. */
  readonly localTheta?: readonly [key: string, theta: number];
  /** Default: all layers rotate. */
  readonly rotates?: Rotates;
  /** Layers with a window unless `layer_types` says so. Default: none. */
  readonly slides?: OfLayer;
  /** `layer_types` is ignored. */
  readonly slidesAlways?: true;
  readonly scales?: Partial<Readonly<Record<"embedding" | "attention" | "residual" | "logits", Scale>>>;
  /** Key of the activation. Default `hidden_act`. */
  readonly activation?: string;
  /** The feed-forward block has no gate. */
  readonly ungated?: true;
  /** Dropout keys without effect here. */
  readonly ignored?: readonly string[];
}

/** Norms of most families. */
export const normsBefore: LayerNorms = {
  beforeAttention: "input_layernorm",
  afterAttention: null,
  beforeFeedForward: "post_attention_layernorm",
  afterFeedForward: null,
};
const after: LayerNorms = {
  beforeAttention: null,
  afterAttention: "post_attention_layernorm",
  beforeFeedForward: null,
  afterFeedForward: "post_feedforward_layernorm",
};
const perHead: QkNorm = { over: "head", query: "q_norm", key: "k_norm" };
const attentionBias = { qkvBias: "attention_bias", outputBias: "attention_bias" } as const;
const llama = { ...attentionBias, feedForwardBias: "mlp_bias" } as const;
const lateWindow: OfLayer = (layer, keys) =>
  keys.flag("use_sliding_window") && layer >= keys.number("max_window_layers");
const byPattern: OfLayer = (layer, keys) => (layer + 1) % (keys.optional("sliding_window_pattern") ?? 4) !== 0;
const multiplier =
  (key: string): Scale =>
  (keys) =>
    keys.optional(key);
const qwenDefaults = { num_key_value_heads: 32, max_window_layers: 28, use_sliding_window: false };
const olmo = {
  defaults: { rms_norm_eps: 1e-5 },
  norms: after,
  qkNorm: { ...perHead, over: "projection" },
  ...attentionBias,
} as const;
const mistral = {
  defaults: { num_key_value_heads: 8, sliding_window: 4096 },
  slides: () => true,
} as const satisfies Family;
const glm = {
  defaults: {
    num_key_value_heads: 2,
    head_dim: 128,
    rms_norm_eps: 1.5625e-7,
    attention_bias: true,
    partial_rotary_factor: 0.5,
  },
  qkvBias: "attention_bias",
  fused: ["gate_up_proj"],
  adjacentPairs: true,
  partialRotation: true,
} as const;
const scales = {
  embedding: multiplier("embedding_multiplier"),
  attention: multiplier("attention_multiplier"),
  residual: multiplier("residual_multiplier"),
};
const multipliers = { embedding_multiplier: 1, residual_multiplier: 1, logits_scaling: 1 };

const gemma = {
  defaults: { head_dim: 256, tie_word_embeddings: true, hidden_activation: "gelu_pytorch_tanh" },
  normOffset: true,
  ...attentionBias,
} as const;

/** Families as transformers 5.18 computes them. A feature that is absent here is not read. */
export const families: Readonly<Record<string, Family>> = {
  llama,
  mistral: { ...mistral, slidesAlways: true },
  ministral: mistral,
  qwen2: { defaults: qwenDefaults, qkvBias: true, slides: lateWindow },
  qwen3: { defaults: { ...qwenDefaults, head_dim: 128 }, qkNorm: perHead, ...attentionBias, slides: lateWindow },
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
    defaults: { ...olmo.defaults, rope_theta: 5e5, sliding_window: 4096 },
    localTheta: ["rope_theta", 5e5],
    slides: byPattern,
  },
  granite: {
    ...llama,
    defaults: { ...multipliers, attention_multiplier: 1 },
    scales: { ...scales, logits: (keys) => 1 / keys.number("logits_scaling") },
    ignored: ["attention_dropout"],
  },
  hyperclovax: {
    ...llama,
    defaults: { ...multipliers, use_post_norm: true },
    norms: (keys) =>
      keys.flag("use_post_norm")
        ? { ...normsBefore, afterAttention: "post_norm1", afterFeedForward: "post_norm2" }
        : normsBefore,
    scales: { ...scales, logits: multiplier("logits_scaling") },
  },
  seed_oss: {
    defaults: { num_key_value_heads: 8, head_dim: 128, attention_bias: true },
    qkvBias: "attention_bias",
    outputBias: "attention_out_bias",
    feedForwardBias: "mlp_bias",
    ignored: ["attention_dropout", "residual_dropout"],
  },
  exaone4: {
    defaults: { rms_norm_eps: 1e-5, num_key_value_heads: 32, sliding_window: 4096 },
    norms: after,
    qkNorm: perHead,
    rotates: (_, keys, slides) => slides || keys.optional("sliding_window") === null,
    slides: byPattern,
  },
  cwm: {
    defaults: {
      num_key_value_heads: 8,
      head_dim: 128,
      rms_norm_eps: 1e-5,
      rope_theta: 1e6,
      rope_parameters: {
        rope_type: "llama3",
        rope_theta: 1e6,
        factor: 16,
        high_freq_factor: 4,
        low_freq_factor: 1,
        original_max_position_embeddings: 8192,
      },
      sliding_window: 8192,
    },
    feedForwardBias: "mlp_bias",
    slides: (layer) => layer % 4 !== 0,
  },
  helium: {
    defaults: { num_key_value_heads: 20, head_dim: 128, rms_norm_eps: 1e-8, rope_theta: 1e5 },
    qkvBias: "attention_bias",
    feedForwardBias: "mlp_bias",
    adjacentPairs: true,
  },
  ernie4_5: {
    defaults: { num_key_value_heads: 2, head_dim: 128, rms_norm_eps: 1e-5, rope_theta: 5e5, tie_word_embeddings: true },
    qkvBias: "use_bias",
    outputBias: "use_bias",
    feedForwardBias: "use_bias",
    adjacentPairs: true,
  },
  glm,
  glm4: {
    ...glm,
    norms: { ...normsBefore, afterAttention: "post_self_attn_layernorm", afterFeedForward: "post_mlp_layernorm" },
  },
  arcee: { ...llama, defaults: { rms_norm_eps: 1e-5, hidden_act: "relu2" }, ungated: true },
  gemma: {
    ...gemma,
    defaults: { ...gemma.defaults, num_key_value_heads: 16, hidden_act: "gelu_pytorch_tanh" },
    scales: { embedding: rootOfWidth },
  },
  gemma3_text: {
    ...gemma,
    defaults: {
      ...gemma.defaults,
      num_key_value_heads: 4,
      rope_theta: 1e6,
      sliding_window: 4096,
      sliding_window_pattern: 6,
      query_pre_attn_scalar: 256,
    },
    norms: { ...after, beforeAttention: "input_layernorm", beforeFeedForward: "pre_feedforward_layernorm" },
    qkNorm: perHead,
    localTheta: ["rope_local_base_freq", 10000],
    slides: byPattern,
    scales: { embedding: rootOfWidth, attention: (keys) => keys.number("query_pre_attn_scalar") ** -0.5 },
    activation: "hidden_activation",
  },
  hunyuan_v1_dense: {
    defaults: { rms_norm_eps: 1e-5 },
    ...attentionBias,
    ropeTypes: { dynamic: "ntk-alpha" },
    qkNorm: { over: "head", afterRotation: true, query: "query_layernorm", key: "key_layernorm" },
  },
};

function rootOfWidth(keys: ConfigReader): number {
  return Math.sqrt(keys.number("hidden_size"));
}

function smolRotates(layer: number, keys: ConfigReader): boolean {
  const layers = keys.value("no_rope_layers");
  if (Array.isArray(layers)) return Boolean(layers[layer]);
  return (layer + 1) % keys.number("no_rope_layer_interval") !== 0;
}

/** Families of transformers with a feature that is missing here. */
export const missingFeatures: Readonly<Record<string, string>> = {
  qwen2_moe: "experts",
  qwen3_moe: "experts",
  mixtral: "experts",
  olmoe: "experts",
  gemma2: "soft caps (attn_logit_softcapping)",
  gemma3: "images; its text model gemma3_text",
  cohere: "layer norms without RMS",
  olmo: "layer norms without RMS",
  stablelm: "layer norms without RMS",
  nemotron: "layer norms without RMS",
  apertus: "the activation xielu (hidden_act)",
};
