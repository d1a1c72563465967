import { LaconicError, type Random } from "../../packages/core/src/index.ts";
import type { TrainingParts } from "../../packages/trainer/src/spec/parts.ts";
import { checkTraining } from "../../packages/trainer/src/spec/check-training.ts";
import { parseTrainConfig } from "../../packages/trainer/src/settings/parse-train-config.ts";
import { trainConfigSchema } from "../../packages/trainer/src/settings/schema.ts";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
}

type Settings = Readonly<Record<string, unknown>>;

const schema = trainConfigSchema.toJSONSchema({ unrepresentable: "any", io: "input" }) as JsonSchema;

/** Names of top-level settings that JSON can represent. */
export const settingNames: readonly string[] = Object.entries(schema.properties ?? {}).flatMap(([name, piece]) =>
  "value" in piece ? [] : [name],
);

/** Larger counts of episodes, steps or tokens only take longer. */
const most = 4;

/** Settings in seconds: runs with jumping clocks would differ. */
export const isOfClock = (name: string): boolean => /seconds/iu.test(name);

/** Draws values that a schema allows: range limits and typical numbers. */
class Draw {
  readonly #random: Random;
  readonly #words: readonly string[];
  readonly #goesByClock: boolean;

  constructor(random: Random, words: readonly string[], goesByClock: boolean) {
    [this.#random, this.#words, this.#goesByClock] = [random, words, goesByClock];
  }

  value(wanted: JsonSchema): unknown {
    const random = this.#random;
    const one = wanted.anyOf ?? wanted.oneOf;
    if (one) return this.value(random.pick(one));
    if (wanted.const !== undefined) return wanted.const;
    if (wanted.enum) return random.pick(wanted.enum);
    const type = typeof wanted.type === "object" ? random.pick(wanted.type) : wanted.type;
    if (type === "boolean") return random.uniform() < 0.5;
    if (type === "integer" || type === "number") return this.#number(wanted, type);
    if (type === "string") return random.pick(this.#words);
    if (type === "array") {
      const count = (wanted.minItems ?? 0) + random.integer(2);
      return Array.from({ length: count }, () => this.value(wanted.items as JsonSchema));
    }
    return type === "object" ? this.#object(wanted) : null;
  }

  #number(range: JsonSchema, type: string): number {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = range;
    const registry = [minimum, (exclusiveMinimum ?? -1) + 1, maximum, 0, 1, 2, 3, most, 0.5, 0.1, 0.9, 1e-6, 0.001];
    const fits = registry.filter(
      (value): value is number =>
        value !== undefined &&
        value <= Math.min(maximum ?? most, most) &&
        value >= (minimum ?? -most) &&
        value > (exclusiveMinimum ?? -Infinity) &&
        value < (exclusiveMaximum ?? Infinity) &&
        (type === "number" || Number.isInteger(value)),
    );
    return this.#random.pick(fits);
  }

  #object({ properties = {}, required = [], additionalProperties }: JsonSchema): Settings {
    if (typeof additionalProperties === "object") {
      const names = this.#random.shuffle(this.#words).slice(0, this.#random.integer(3));
      return Object.fromEntries(names.map((name) => [name, this.value(additionalProperties)]));
    }
    const chosen = Object.entries(properties).filter(
      ([name]) => (this.#goesByClock || !isOfClock(name)) && (required.includes(name) || this.#random.uniform() < 0.5),
    );
    return Object.fromEntries(chosen.map(([name, jsonSchema]) => [name, this.value(jsonSchema)]));
  }
}

/**
 * Draws settings that are consistent and fit the run's parts, one after the other. Refused values are skipped.
 * @param names - settings to draw
 * @param goesByClock - whether settings in seconds are allowed
 */
export function drawSettings(
  random: Random,
  base: Settings,
  parts: TrainingParts,
  { names, goesByClock }: { readonly names: readonly string[]; readonly goesByClock: boolean },
): Settings {
  const { agents } = parts.task.topology;
  const draw = new Draw(
    random,
    [...new Set([...agents, ...Object.keys(parts.policies), "tokens", "turns"])],
    goesByClock,
  );
  let settings = base;
  for (const name of random.shuffle(names).slice(0, 2 + random.integer(6))) {
    const drawn = { ...settings, [name]: draw.value(schema.properties?.[name] as JsonSchema) };
    if (fit(drawn, parts)) settings = drawn;
  }
  return settings;
}

/** Whether a run would accept the settings before it starts. @throws unexpected errors */
export function fit(settings: Settings, parts: TrainingParts): boolean {
  try {
    const config = parseTrainConfig(settings);
    checkTraining(parts, config);
    const { sampling = {} } = settings as { readonly sampling?: object };
    const supported = new Set<string>(Object.values(parts.policies).flatMap(({ model }) => model.supports ?? []));
    return Object.keys(sampling).every((name) => supported.has(name));
  } catch (error) {
    if (LaconicError.is(error) && ["config_invalid", "input_invalid", "objective_refused"].includes(error.code))
      return false;
    throw error;
  }
}
