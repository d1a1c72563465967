/** Price controlled by a budget (Eq. 5), or fixed. */
export type Steering =
  | { readonly kind: "budget"; readonly targetTokens: number }
  | { readonly kind: "price"; readonly price: number };

export type PlaygroundDevice = "wasm" | "webgpu";

/** Simplest first. */
export const levelNames = ["relay", "tellers"] as const;
export type LevelName = (typeof levelNames)[number];

export interface PlaygroundSettings {
  readonly level: LevelName;
  readonly seed: number;
  readonly steps: number;
  readonly device: PlaygroundDevice;
  readonly steering: Steering;
  /** 0 without one. */
  readonly warmStart: number;
}

export interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/**
 * Budgets: from the min tokens of an always correct team to those of the untrained team. Warm starts: supervised steps;
 * null without one.
 */
export const levelRanges = {
  relay: {
    steps: 120,
    targetTokens: { min: 8, max: 60, step: 1, first: 14 },
    price: { min: 0, max: 0.03, step: 0.001 },
    warmUpSteps: 3,
    warmStart: null,
  },
  tellers: {
    steps: 60,
    targetTokens: { min: 8, max: 50, step: 1, first: 14 },
    price: { min: 0, max: 0.01, step: 0.0005 },
    warmUpSteps: 5,
    // Two fifths of the preset: enough to name owners, 20 seconds on one thread.
    warmStart: { min: 1, max: 600, step: 1, first: 240 },
  },
} as const;

export const ranges = { seed: { min: 0, max: 9999, step: 1 }, steps: { min: 1, max: 1000, step: 1 } } as const;

export function firstSettings(level: LevelName): PlaygroundSettings {
  const { steps, targetTokens, warmStart } = levelRanges[level];
  const steering = { kind: "budget", targetTokens: targetTokens.first } as const;
  return { level, seed: 1, steps, device: "wasm", steering, warmStart: warmStart?.first ?? 0 };
}

export function levelIn(query: string): LevelName {
  return new URLSearchParams(query).get("level") === "tellers" ? "tellers" : "relay";
}

/** `?seed=3&steps=60&budget=20`, or `price=0.004` for the budget. */
export function settingsIn(query: string, level: LevelName): PlaygroundSettings {
  const first = firstSettings(level);
  const words = new URLSearchParams(levelIn(query) === level ? query : "");
  const { targetTokens, price, warmStart } = levelRanges[level];
  const number = (name: string, range: Range): number | null => {
    const value = Number(words.get(name) ?? Number.NaN);
    const isWhole = range.step < 1 || Number.isInteger(value);
    return value >= range.min && value <= range.max && isWhole ? value : null;
  };
  const [fixed, budget] = [number("price", price), number("budget", targetTokens)];
  return {
    level,
    seed: number("seed", ranges.seed) ?? first.seed,
    steps: number("steps", ranges.steps) ?? first.steps,
    device: words.get("device") === "webgpu" ? "webgpu" : "wasm",
    steering:
      fixed !== null
        ? { kind: "price", price: fixed }
        : budget !== null && !words.has("price")
          ? { kind: "budget", targetTokens: budget }
          : first.steering,
    warmStart: (warmStart && number("warmup", warmStart)) ?? first.warmStart,
  };
}
