import { isRecord, type UnknownRecord } from "@laconic/core";
import { ConfigReader, refuseKey } from "./config-reader.ts";
import type { Family } from "./families.ts";

/** Rotation by position: angles are position times frequency (Su et al. 2021). */
export interface Rotation {
  /** Per pair of rotated elements; a head may have more elements. */
  readonly frequencies: readonly number[];
  /** Factor of cosines and sines. */
  readonly scale: number;
}

/** Model sizes that a rotation depends on. */
interface Sizes {
  readonly headDim: number;
  readonly maxPositions: number;
}

interface RotationOfFile {
  readonly rotation: Rotation;
  /** Max positions at which the rotation is constant. */
  readonly maxPositions: number;
}

const readKeys = new Set(
  (
    "rope_type type rope_theta partial_rotary_factor factor original_max_position_embeddings low_freq_factor " +
    "high_freq_factor attention_factor beta_fast beta_slow mscale mscale_all_dim truncate short_factor long_factor alpha"
  ).split(" "),
);

/** Without a `localTheta`, both kinds of layers have the first rotation. */
export function readRotations(keys: ConfigReader, family: Family, sizes: Sizes): RotationOfFile[] {
  const scaling = keys.value("rope_scaling");
  const parameters = keys.value("rope_parameters");
  const block = blockOf(isRecord(scaling) && Object.keys(scaling).length === 0 ? parameters : (scaling ?? parameters));
  const theta = keys.number("rope_theta");
  if (!family.localTheta) return [readRotation(block, theta, keys, family, sizes)];
  const nested = blockOf(parameters);
  for (const [key, value] of Object.entries(nested))
    if (!(key in layerKinds) && value !== null)
      throw refuseKey(`rope_parameters.${key}`, value, "expected per layer type");
  const [localKey, localTheta] = family.localTheta;
  const local = localKey === "rope_theta" ? localTheta : (keys.optional(localKey) ?? localTheta);
  const full = { ...blockOf(nested["full_attention"]), ...blockOf(scaling) };
  return [
    readRotation(full, theta, keys, family, sizes),
    readRotation(blockOf(nested["sliding_attention"]), local, keys, family, sizes),
  ];

  function blockOf(value: unknown): UnknownRecord {
    if (value === null || value === undefined) return {};
    if (!isRecord(value)) throw refuseKey("rope_scaling", value, "expected an object");
    return value;
  }
}

const layerKinds = { full_attention: true, sliding_attention: true };

function readRotation(
  json: UnknownRecord,
  theta: number,
  keys: ConfigReader,
  family: Family,
  { headDim, maxPositions }: Sizes,
): RotationOfFile {
  for (const [key, value] of Object.entries(json))
    if (!readKeys.has(key) && value !== null) throw refuseKey(`rope_scaling.${key}`, value, "not supported");
  const block = new ConfigReader(json, { rope_theta: theta });
  const ofFile = keys.optional("partial_rotary_factor");
  const partial = block.optional("partial_rotary_factor") ?? ofFile ?? 1;
  if (partial !== 1 && !family.partialRotation)
    throw refuseKey("partial_rotary_factor", partial, "partial rotation is not supported for this family");
  const size = Math.trunc(headDim * partial);
  if (size < 2 || size > headDim || size % 2 !== 0)
    throw refuseKey(
      partial === 1 ? "head_dim" : "partial_rotary_factor",
      partial === 1 ? headDim : partial,
      "must give an even number of rotated elements",
    );
  const original =
    keys.optional("original_max_position_embeddings") ?? block.optional("original_max_position_embeddings");
  const context = { block, size, maxPositions, original: original ?? maxPositions };
  const given = block.value("rope_type") ?? block.value("type") ?? (block.value("factor") === null ? "default" : null);
  const name = typeof given === "string" ? (family.ropeTypes?.[given] ?? given) : "";
  const scaled = Object.hasOwn(scalings, name) ? scalings[name] : undefined;
  if (!scaled)
    throw refuseKey("rope_scaling.rope_type", given ?? undefined, `expected ${Object.keys(scalings).join(", ")}`);
  const base = frequenciesOf(block.number("rope_theta"), size);
  const { frequencies = base, scale = 1, limit = maxPositions } = scaled(base, context);
  return { rotation: { frequencies, scale }, maxPositions: Math.min(maxPositions, limit) };
}

function frequenciesOf(theta: number, size: number): number[] {
  return Array.from({ length: size / 2 }, (_, i) => theta ** ((-2 * i) / size));
}

interface Context {
  readonly block: ConfigReader;
  readonly size: number;
  readonly maxPositions: number;
  readonly original: number;
}

interface Scaled {
  readonly frequencies?: readonly number[];
  readonly scale?: number;
  readonly limit?: number;
}

/** By rope type of transformers. */
const scalings: Readonly<Record<string, (base: readonly number[], context: Context) => Scaled>> = {
  default: () => ({}),
  linear: (base, { block }) => {
    const factor = factorOf(block);
    return { frequencies: base.map((frequency) => frequency / factor) };
  },
  llama3,
  yarn,
  longrope,
  /** Hunyuan; up to `max_position_embeddings` only alpha matters. */
  "ntk-alpha": (_, { block, size }) => {
    const alpha = block.optional("alpha") || 1;
    return { frequencies: frequenciesOf(block.number("rope_theta") * alpha ** (size / (size - 2)), size) };
  },
};

function factorOf(block: ConfigReader): number {
  const factor = block.number("factor");
  if (factor < 1) throw refuseKey("factor", factor, "must be at least 1");
  return factor;
}

/** Llama 3.1: divides low frequencies, keeps high ones, blends between. */
function llama3(base: readonly number[], { block, original }: Context): Scaled {
  const factor = factorOf(block);
  const [low, high] = [block.number("low_freq_factor"), block.number("high_freq_factor")];
  if (high <= low) throw refuseKey("high_freq_factor", high, "must be above low_freq_factor");
  const frequencies = base.map((frequency) => {
    const share = ((original * frequency) / (2 * Math.PI) - low) / (high - low);
    const kept = Math.min(1, Math.max(0, share));
    return ((1 - kept) * frequency) / factor + kept * frequency;
  });
  return { frequencies };
}

/** Peng et al. 2023. */
function yarn(base: readonly number[], { block, size, maxPositions, original }: Context): Scaled {
  const factor = block.optional("factor") ?? maxPositions / original;
  const growth = (by: number): number => (factor <= 1 ? 1 : 0.1 * by * Math.log(factor) + 1);
  const [mscale, ofAll] = [block.optional("mscale"), block.optional("mscale_all_dim")];
  const scale = block.optional("attention_factor") ?? (mscale && ofAll ? growth(mscale) / growth(ofAll) : growth(1));
  /** Index of the frequency with this many turns. */
  const indexOf = (turns: number): number =>
    (size * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(block.number("rope_theta")));
  const whole = block.value("truncate") !== false;
  const [first, last] = [indexOf(block.optional("beta_fast") || 32), indexOf(block.optional("beta_slow") || 1)];
  const low = Math.max(0, whole ? Math.floor(first) : first);
  const high = Math.min(size - 1, whole ? Math.ceil(last) : last);
  const frequencies = base.map((frequency, i) => {
    const share = Math.min(1, Math.max(0, (i - low) / (high === low ? 0.001 : high - low)));
    return (share * frequency) / factor + (1 - share) * frequency;
  });
  return { frequencies, scale };
}

/** Ding et al. 2024 with the factors of short texts, up to the original positions. */
function longrope(base: readonly number[], { block, maxPositions, original }: Context): Scaled {
  const factors = block.value("short_factor");
  if (!Array.isArray(factors) || factors.length !== base.length || !factors.every((value) => value > 0))
    throw refuseKey("short_factor", factors, `expected ${base.length} positive numbers`);
  const factor = block.optional("factor") ?? maxPositions / original;
  const scale =
    block.optional("attention_factor") ?? (factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original)));
  return { frequencies: base.map((frequency, i) => frequency / factors[i]), scale, limit: original };
}
