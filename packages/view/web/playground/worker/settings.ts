import { LaconicError } from "@laconic/core";
import { relayQuickstart } from "@laconic/worlds";
import { changesOf, parseTrainConfig, type TrainConfig } from "@laconic/trainer";

/** What a token costs: as much as keeps a budget (Eq. 5), or always the same. */
export type Steering =
  | { readonly kind: "budget"; readonly targetTokens: number }
  | { readonly kind: "price"; readonly price: number };

export type PlaygroundDevice = "wasm" | "webgpu";

/** All that a visitor can set. */
export interface PlaygroundSettings {
  readonly seed: number;
  readonly steps: number;
  readonly device: PlaygroundDevice;
  readonly steering: Steering;
}

export const firstSettings: PlaygroundSettings = {
  seed: 1,
  steps: 120,
  device: "wasm",
  steering: { kind: "budget", targetTokens: 14 },
};

/** From the fewest that a team needs which is always right to what it writes untrained; a price that silences everybody is no use. */
export const ranges = {
  targetTokens: { min: 8, max: 60, step: 1 },
  price: { min: 0, max: 0.03, step: 0.001 },
  seed: { min: 0, max: 9999, step: 1 },
  steps: { min: 1, max: 1000, step: 1 },
} as const;

/** Steps in which the controller only measures what the team says. */
export const warmUpSteps = 3;

/** Settings that change while a run goes on, each with what follows; a change stands among the run's warnings. */
export const adjustable: Readonly<Record<string, string>> = {
  "train.budget": "",
  "train.prices": "",
  "train.steps": "",
};

type Json = Readonly<Record<string, unknown>>;

/** As `train` of a configuration. */
export function trainConfig({ seed, steps, steering }: PlaygroundSettings): TrainConfig {
  const { train } = relayQuickstart;
  return parseTrainConfig({
    ...train,
    seed,
    steps,
    // Half the quickstart's problems and a third of its way to the budget: the same end in half a minute, on one thread.
    problemsPerStep: 8,
    ...(steering.kind === "budget"
      ? {
          budget: {
            ...train.budget,
            targetTokens: steering.targetTokens,
            warmupIterations: warmUpSteps,
            annealIterations: 24,
          },
        }
      : { budget: null, prices: { tokens: steering.price } }),
    evaluation: { every: 10, problems: 100, transcripts: 4 },
    checkpoint: { every: 10, keep: 2 },
  });
}

/** The configuration as `laconic train` writes it into a run folder: what it resumes. */
export function runConfig(settings: PlaygroundSettings): Json {
  return {
    task: relayQuickstart.task,
    model: "shipped",
    sampler: null,
    actor: null,
    policies: "shared",
    bases: {},
    chatTemplateArguments: {},
    lora: null,
    device: settings.device,
    // Of two, each would need a worker of its own and memory that they share.
    workers: 1,
    memory: { maxTokensPerMicroBatch: 16_384, recompute: "none" },
    train: trainConfig(settings),
  };
}

/**
 * What of a configuration can be set here.
 * @throws LaconicError `config_invalid` naming a setting that this page would run otherwise
 */
export function settingsOf(config: Json): PlaygroundSettings {
  const train = recordOf(config["train"]);
  const budget = recordOf(train["budget"]);
  const settings: PlaygroundSettings = {
    seed: inRange("seed", train["seed"]),
    steps: inRange("steps", train["steps"]),
    device: config["device"] === "webgpu" ? "webgpu" : "wasm",
    steering:
      train["budget"] === null
        ? { kind: "price", price: inRange("price", recordOf(train["prices"])["tokens"]) }
        : { kind: "budget", targetTokens: inRange("targetTokens", budget["targetTokens"]) },
  };
  const [change] = changesOf(config, runConfig(settings));
  if (change)
    throw new LaconicError(
      "config_invalid",
      `this page trains the relay team of its own settings, and this run has ${change.key} ${change.before} instead of ${change.now}; go on with: laconic train --resume`,
      { key: change.key },
    );
  return settings;
}

/** What a page's address asks for: `?seed=3&steps=60&budget=20`, or `price=0.004` in the budget's place. */
export function settingsIn(query: string): PlaygroundSettings {
  const words = new URLSearchParams(query);
  const number = (name: string): unknown => (words.has(name) ? Number(words.get(name)) : undefined);
  const kept = <T>(make: () => T, otherwise: T): T => {
    try {
      return make();
    } catch {
      return otherwise;
    }
  };
  const { seed, steps, steering } = firstSettings;
  return {
    seed: kept(() => inRange("seed", number("seed")), seed),
    steps: kept(() => inRange("steps", number("steps")), steps),
    device: words.get("device") === "webgpu" ? "webgpu" : "wasm",
    steering: words.has("price")
      ? kept(() => ({ kind: "price", price: inRange("price", number("price")) }), steering)
      : kept(() => ({ kind: "budget", targetTokens: inRange("targetTokens", number("budget")) }), steering),
  };
}

/** @throws LaconicError `config_invalid` */
function inRange(name: keyof typeof ranges, value: unknown): number {
  const { min, max } = ranges[name];
  const whole = name === "seed" || name === "steps";
  if (typeof value === "number" && value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new LaconicError("config_invalid", `${name} is ${JSON.stringify(value)}, expected ${min} to ${max}`, {
    key: name,
  });
}

function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
