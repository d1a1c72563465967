import type { UnknownRecord } from "@laconic/core";
import { gateCurves, type GateCurve } from "../kernels/index.ts";
import { ConfigReader, refuseKey } from "./config-reader.ts";
import { families, missingFeatures, type Family, type Scales } from "./families.ts";
import { readRotations, type Rotation } from "./rotation.ts";

/** Dense decoder-only architecture. */
export interface ModelConfig extends Scales {
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
  readonly qkvBias: boolean;
  readonly outputBias: boolean;
  readonly feedForwardBias: boolean;
  readonly gateCurve: GateCurve;
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

const commonDefaults: UnknownRecord = {
  hidden_act: "silu",
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  sliding_window_pattern: 4,
  initializer_range: 0.02,
};

/**
 * Reads a Hugging Face `config.json`: the defaults of its family, then its keys.
 * @throws LaconicError `model_unsupported` with the key and the missing feature.
 */
export function parseModelConfig(json: UnknownRecord): ModelConfig {
  const { modelType, family } = familyOf(json);
  const keys = new ConfigReader(json, { ...commonDefaults, ...family.defaults });
  const size = (key: keyof typeof most, derived?: number): number => keys.size(key, most[key], derived);
  const hiddenSize = size("hidden_size");
  const queryHeads = size("num_attention_heads");
  const kvHeads = size("num_key_value_heads", queryHeads);
  const headDim = size("head_dim", hiddenSize / queryHeads);
  if (queryHeads % kvHeads !== 0)
    throw refuseKey("num_key_value_heads", kvHeads, `must divide num_attention_heads (${queryHeads})`);
  if (headDim % 2 !== 0) throw refuseKey("head_dim", headDim, "must be even for rotary positions");
  const layers = size("num_hidden_layers");
  const sliding = slidingLayers(keys, family, layers);
  const window = sliding.includes(true) ? keys.size("sliding_window", Infinity) : Infinity;
  const rotations = readRotations(keys, family, { headDim, maxPositions: size("max_position_embeddings") });
  const maxPositions = Math.min(window, ...rotations.map((rotation) => rotation.maxPositions));
  if (maxPositions * headDim > maxRotaryElements)
    throw refuseKey(
      "max_position_embeddings",
      maxPositions,
      `expected at most ${maxRotaryElements / headDim} for this head size`,
    );
  const bias = (part: number): boolean => {
    const key = family.biases?.[part] ?? false;
    return typeof key === "string" ? keys.flag(key) : key;
  };
  const config: ModelConfig = {
    modelType,
    family,
    vocabularySize: size("vocab_size"),
    hiddenSize,
    layers,
    queryHeads,
    kvHeads,
    headDim,
    feedForwardSize: size("intermediate_size"),
    rmsNormEpsilon: keys.number("rms_norm_eps"),
    maxPositions,
    rotations,
    layerRotations: sliding.map((slides, layer) => {
      if (family.rotates && !family.rotates(layer, keys, slides)) return null;
      return slides ? rotations.length - 1 : 0;
    }),
    tiedHead: keys.flag("tie_word_embeddings"),
    qkvBias: bias(0),
    outputBias: bias(1),
    feedForwardBias: bias(2),
    gateCurve: readGateCurve(keys, family),
    embeddingScale: 1,
    attentionScale: 1 / Math.sqrt(headDim),
    residualScale: 1,
    logitsScale: 1,
    ...family.scales?.(keys),
    initializerRange: keys.number("initializer_range"),
  };
  for (const key of features)
    if (!keys.read.has(key) && !family.ignored?.includes(key) && json[key] && json[key] !== 1)
      throw refuseKey(key, json[key], `not supported for ${modelType}`);
  return config;
}

function familyOf(json: UnknownRecord): { readonly modelType: string; readonly family: Family } {
  const modelType = json["model_type"];
  const family = typeof modelType === "string" && Object.hasOwn(families, modelType) ? families[modelType] : undefined;
  if (family) return { modelType: modelType as string, family };
  const missing = Object.entries(missingFeatures).find(([, names]) => names.includes(modelType as string));
  const reason = missing ? `not supported: ${missing[0]}` : `expected ${Object.keys(families).join(", ")}`;
  throw refuseKey("model_type", modelType, reason);
}

function readGateCurve(keys: ConfigReader, { activation = "hidden_act", ungated = false }: Family): GateCurve {
  const name = keys.value(activation);
  const known = Object.entries(gateCurves).filter(([curve]) => (curve === "relu2") === ungated);
  const found = known.find(([curve]) => curve === name);
  if (!found) throw refuseKey(activation, name, `expected ${known.map(([curve]) => curve).join(" or ")}`);
  return found[1];
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
