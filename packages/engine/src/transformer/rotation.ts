import { isRecord, type UnknownRecord } from "@laconic/core";
import { ConfigReader, refuseKey } from "./config-reader.ts";
import type { Family } from "./families.ts";

/** Rotation by position: angles are position times frequency (Su et al. 2021). */
export interface Rotation {
  /** Per pair of rotated elements; a head may have more elements. */
  readonly frequencies: readonly number[];
  /** Factor of cosines and sines. */
  readonly scale: number;
  /** Positions at which the frequencies are constant. */
  readonly maxPositions: number;
}

type Sizes = Readonly<Record<"headDim" | "maxPositions", number>>;

const readKeys = new Set(
  (
    "rope_type type rope_theta partial_rotary_factor factor original_max_position_embeddings low_freq_factor " +
    "high_freq_factor attention_factor beta_fast beta_slow mscale mscale_all_dim truncate short_factor long_factor alpha"
  ).split(" "),
);
const layerKinds = ["full_attention", "sliding_attention"];

/** The second rotation is that of windowed layers with a `localRotation`. */
export function readRotations(keys: ConfigReader, family: Family, sizes: Sizes): Rotation[] {
  const [scaling, parameters] = [blockOf(keys, "rope_scaling"), blockOf(keys, "rope_parameters")];
  const read = (json: UnknownRecord, theta: string): Rotation =>
    readRotation(json, keys.number(theta), keys, family, sizes);
  if (!family.localRotation) return [read(Object.keys(scaling).length > 0 ? scaling : parameters, "rope_theta")];
  for (const [key, value] of Object.entries(parameters))
    if (!layerKinds.includes(key) && value !== null)
      throw refuseKey(`rope_parameters.${key}`, value, "expected per layer type");
  const [full, local] = layerKinds.map((kind) => blockOf(new ConfigReader(parameters), kind));
  return [read({ ...full, ...scaling }, "rope_theta"), read({ ...local }, "rope_local_base_freq")];
}

function blockOf(keys: ConfigReader, key: string): UnknownRecord {
  const value = keys.value(key) ?? {};
  if (!isRecord(value)) throw refuseKey(key, value, "expected an object");
  return value;
}

function readRotation(
  json: UnknownRecord,
  rope_theta: number,
  keys: ConfigReader,
  family: Family,
  { headDim, maxPositions }: Sizes,
): Rotation {
  for (const [key, value] of Object.entries(json))
    if (!readKeys.has(key) && value !== null) throw refuseKey(`rope_scaling.${key}`, value, "not supported");
  const block = new ConfigReader(json, { rope_theta });
  const partial = block.number("partial_rotary_factor", keys.number("partial_rotary_factor", 1));
  if (partial !== 1 && !family.partialRotation)
    throw refuseKey("partial_rotary_factor", partial, "partial rotation is not supported for this family");
  const size = Math.trunc(headDim * partial);
  if (size < 2 || size > headDim || size % 2 !== 0)
    throw refuseKey("partial_rotary_factor", partial, "must give an even number of rotated elements");
  const original = "original_max_position_embeddings";
  const context = { block, size, maxPositions, original: keys.number(original, block.number(original, maxPositions)) };
  const given = block.value("rope_type") ?? block.value("type") ?? (block.value("factor") === null ? "default" : null);
  const name = typeof given === "string" ? (family.ropeTypes?.[given] ?? given) : "";
  const scaled = Object.hasOwn(scalings, name) ? scalings[name] : undefined;
  if (!scaled)
    throw refuseKey("rope_scaling.rope_type", given ?? undefined, `expected ${Object.keys(scalings).join(", ")}`);
  const frequencies = frequenciesOf(block.number("rope_theta"), size);
  return { frequencies, scale: 1, maxPositions, ...scaled(frequencies, context) };
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

type Scaling = (base: readonly number[], context: Context) => Partial<Rotation>;

const scalings: Readonly<Record<string, Scaling>> = {
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
    const alpha = block.number("alpha", 1) || 1;
    return { frequencies: frequenciesOf(block.number("rope_theta") * alpha ** (size / (size - 2)), size) };
  },
};

function factorOf(block: ConfigReader): number {
  const factor = block.number("factor");
  if (factor < 1) throw refuseKey("factor", factor, "must be at least 1");
  return factor;
}

/** Llama 3.1: divides low frequencies, keeps high ones, blends between. */
function llama3(base: readonly number[], { block, original }: Context): Partial<Rotation> {
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
function yarn(base: readonly number[], { block, size, maxPositions, original }: Context): Partial<Rotation> {
  const factor = block.number("factor", maxPositions / original);
  const growth = (by: number): number => (factor <= 1 ? 1 : 0.1 * by * Math.log(factor) + 1);
  const [mscale, ofAll] = [block.number("mscale", 0), block.number("mscale_all_dim", 0)];
  const scale = block.number("attention_factor", mscale && ofAll ? growth(mscale) / growth(ofAll) : growth(1));
  /** Finds the frequency with this many turns. */
  const indexOf = (turns: number): number =>
    (size * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(block.number("rope_theta")));
  const whole = block.value("truncate") !== false;
  const [first, last] = [indexOf(block.number("beta_fast", 32) || 32), indexOf(block.number("beta_slow", 1) || 1)];
  const low = Math.max(0, whole ? Math.floor(first) : first);
  const high = Math.min(size - 1, whole ? Math.ceil(last) : last);
  const frequencies = base.map((frequency, i) => {
    const share = Math.min(1, Math.max(0, (i - low) / (high === low ? 0.001 : high - low)));
    return (share * frequency) / factor + (1 - share) * frequency;
  });
  return { frequencies, scale };
}

/** Scales as Ding et al. 2024 with the factors of short texts, up to the original positions. */
function longrope(base: readonly number[], { block, maxPositions, original }: Context): Partial<Rotation> {
  const factors = block.value("short_factor");
  if (!Array.isArray(factors) || factors.length !== base.length || !factors.every((value) => value > 0))
    throw refuseKey("short_factor", factors, `expected ${base.length} positive numbers`);
  const factor = block.number("factor", maxPositions / original);
  const growth = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original));
  return {
    frequencies: base.map((frequency, i) => frequency / factors[i]),
    scale: block.number("attention_factor", growth),
    maxPositions: Math.min(maxPositions, original),
  };
}
