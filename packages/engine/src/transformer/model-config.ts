import type { UnknownRecord } from "@laconic/core";
import { gateCurves, type GateCurve } from "../kernels/index.ts";
import { ConfigReader, refuseKey } from "./config-reader.ts";
import { families, missingFeatures, normsBefore, type Family, type LayerNorms } from "./families.ts";
import { readRotations, type Rotation } from "./rotation.ts";

/** Dense decoder-only architecture. */
export interface ModelConfig {
  /** `model_type` of config.json. */
  readonly modelType: string;
  readonly family: Family;
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly feedForwardSize: number;
  readonly rmsNormEpsilon: number;
  /** At most the window of a layer and the range of its rotation: within, attention is full. */
  readonly maxPositions: number;
  readonly rotations: readonly Rotation[];
  /** Index of each layer's rotation; null for none. */
  readonly layerRotations: readonly (number | null)[];
  readonly tiedHead: boolean;
  /** Returns a value. Absent in `config.json`. */
  readonly scalarHead?: true;
  readonly norms: LayerNorms;
  readonly qkvBias: boolean;
  readonly outputBias: boolean;
  readonly feedForwardBias: boolean;
  readonly gateCurve: GateCurve;
  readonly embeddingScale: number;
  readonly attentionScale: number;
  readonly residualScale: number;
  readonly logitsScale: number;
  readonly initializerRange: number;
}

/** Features. Rejected unless null, 0, 1 or false, or read by the family. */
const features = [
  "quantization_config",
  "num_experts",
  "num_local_experts",
  "n_routed_experts",
  "final_logit_softcapping",
  "attn_logit_softcapping",
  "logits_soft_cap",
  "clip_qkv",
  "no_rope_layers",
  "use_sliding_window",
  "use_bidirectional_attention",
  "attention_bias",
  "attention_out_bias",
  "use_bias",
  "mlp_bias",
  "attention_dropout",
  "residual_dropout",
  "resid_pdrop",
  "embd_pdrop",
  "partial_rotary_factor",
  "embedding_multiplier",
  "attention_multiplier",
  "residual_multiplier",
  "logits_scaling",
];

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

/** Defaults of most config classes. */
const commonDefaults: UnknownRecord = {
  hidden_act: "silu",
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  initializer_range: 0.02,
};

/**
 * Reads a Hugging Face `config.json`: the defaults of its family, then its keys.
 * @throws LaconicError `model_unsupported` with the key and the missing feature.
 */
export function parseModelConfig(json: UnknownRecord): ModelConfig {
  const { modelType, family } = familyOf(json);
  const keys = new ConfigReader(json, { ...commonDefaults, ...family.defaults });
  const hiddenSize = size(keys, "hidden_size");
  const queryHeads = size(keys, "num_attention_heads");
  const kvHeads = size(keys, "num_key_value_heads", queryHeads);
  const headDim = size(keys, "head_dim", hiddenSize / queryHeads);
  if (queryHeads % kvHeads !== 0)
    throw refuseKey("num_key_value_heads", kvHeads, `must divide num_attention_heads (${queryHeads})`);
  if (headDim % 2 !== 0) throw refuseKey("head_dim", headDim, "must be even for rotary positions");
  const layers = size(keys, "num_hidden_layers");
  const sliding = slidingLayers(keys, family, layers);
  const window = sliding.includes(true) ? positive(keys, "sliding_window") : Infinity;
  const allPositions = size(keys, "max_position_embeddings");
  const rotations = readRotations(keys, family, { headDim, maxPositions: allPositions });
  const maxPositions = Math.min(window, ...rotations.map((rotation) => rotation.maxPositions));
  if (maxPositions * headDim > maxRotaryElements)
    throw refuseKey(
      "max_position_embeddings",
      maxPositions,
      `expected at most ${maxRotaryElements / headDim} for this head size`,
    );
  const bias = (key: string | true | undefined): boolean => key === true || (key !== undefined && keys.flag(key));
  const scale = (name: keyof NonNullable<Family["scales"]>, fallback: number): number =>
    family.scales?.[name]?.(keys) ?? fallback;
  const { rotates = () => true, norms = normsBefore } = family;
  const config: ModelConfig = {
    modelType,
    family,
    vocabularySize: size(keys, "vocab_size"),
    hiddenSize,
    layers,
    queryHeads,
    kvHeads,
    headDim,
    feedForwardSize: size(keys, "intermediate_size"),
    rmsNormEpsilon: keys.number("rms_norm_eps"),
    maxPositions,
    rotations: rotations.map(({ rotation }) => rotation),
    layerRotations: sliding.map((slides, layer) => {
      if (!rotates(layer, keys, slides)) return null;
      return slides ? rotations.length - 1 : 0;
    }),
    tiedHead: keys.flag("tie_word_embeddings"),
    norms: typeof norms === "function" ? norms(keys) : norms,
    qkvBias: bias(family.qkvBias),
    outputBias: bias(family.outputBias),
    feedForwardBias: bias(family.feedForwardBias),
    gateCurve: readGateCurve(keys, family),
    embeddingScale: scale("embedding", 1),
    attentionScale: scale("attention", 1 / Math.sqrt(headDim)),
    residualScale: scale("residual", 1),
    logitsScale: scale("logits", 1),
    initializerRange: keys.number("initializer_range"),
  };
  for (const key of features)
    if (!keys.read.has(key) && !family.ignored?.includes(key) && json[key] && json[key] !== 1)
      throw refuseKey(key, json[key], `not supported for ${modelType}`);
  return config;
}

function familyOf(json: UnknownRecord): { readonly modelType: string; readonly family: Family } {
  const modelType = json["model_type"];
  if (typeof modelType === "string" && Object.hasOwn(missingFeatures, modelType))
    throw refuseKey("model_type", modelType, `not supported: ${missingFeatures[modelType]}`);
  const family = typeof modelType === "string" && Object.hasOwn(families, modelType) ? families[modelType] : undefined;
  if (!family) throw refuseKey("model_type", modelType, `expected ${Object.keys(families).join(", ")}`);
  return { modelType: modelType as string, family };
}

function readGateCurve(keys: ConfigReader, { activation = "hidden_act", ungated }: Family): GateCurve {
  const name = keys.value(activation);
  const { silu, gelu_pytorch_tanh, relu: relu2 } = gateCurves;
  const known: Readonly<Record<string, GateCurve>> = ungated ? { relu2 } : { silu, gelu_pytorch_tanh };
  const curve = typeof name === "string" && Object.hasOwn(known, name) ? known[name] : undefined;
  if (!curve) throw refuseKey(activation, name, `expected ${Object.keys(known).join(" or ")}`);
  return curve;
}

function slidingLayers(keys: ConfigReader, { slides, slidesAlways }: Family, layers: number): boolean[] {
  const types = slidesAlways ? null : keys.value("layer_types");
  const hasWindow = slides !== undefined && keys.value("sliding_window") !== null;
  if (types === null) return Array.from({ length: layers }, (_, layer) => hasWindow && slides(layer, keys));
  if (slides) keys.flag("use_sliding_window");
  const known = ["full_attention", ...(slides ? ["sliding_attention"] : [])];
  if (!Array.isArray(types) || types.length < layers || !types.every((type) => known.includes(type)))
    throw refuseKey("layer_types", types, `expected ${known.join(" or ")} for each layer`);
  return types.slice(0, layers).map((type) => type === "sliding_attention");
}

function positive(keys: ConfigReader, key: string): number {
  const value = keys.number(key);
  if (!Number.isInteger(value) || value <= 0) throw refuseKey(key, value, "expected a positive whole number");
  return value;
}

/** @param derived - for null */
function size(keys: ConfigReader, key: keyof typeof most, derived?: number): number {
  const reader = derived !== undefined && keys.value(key) === null ? new ConfigReader({ [key]: derived }) : keys;
  const value = positive(reader, key);
  if (value > most[key]) throw refuseKey(key, value, `expected at most ${most[key]}`);
  return value;
}
