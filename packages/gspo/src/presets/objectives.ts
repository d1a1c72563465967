import { configError, type Objective, type Shape } from "@laconic/core";
import { checkChoice } from "../check-option.ts";
import { commonOptions, shapeOfOptions, type ObjectiveOptions } from "./objective-options.ts";
import { grpo } from "../objectives/grpo.ts";
import { gmpo, luspo, magrpo, vespo } from "../objectives/gspo-relatives.ts";
import { gspo, gspoClip, gspoToken } from "../objectives/gspo.ts";
import { cispo, reinforce, sapo } from "../objectives/policy-gradients.ts";

interface Preset {
  readonly takes: readonly (keyof ObjectiveOptions)[];
  readonly defaults?: ObjectiveOptions;
  make(options: ObjectiveOptions): Objective;
}

/** Configured name of an objective. */
export type ObjectiveName =
  | "gspo"
  | "gspo-token"
  | "grpo"
  | "dr-grpo"
  | "dapo"
  | "reinforce"
  | "cispo"
  | "sapo"
  | "gmpo"
  | "luspo"
  | "vespo"
  | "magrpo";

const ppoClip = { low: 0.2, high: 0.2 };
const common = commonOptions;
const clippedTokens = [...common, "clip", "dualClip", "maxRatio"] as const;
const aggregated = ["aggregation", "constantLength"] as const;

const presets: Readonly<Record<ObjectiveName, Preset>> = {
  /** Clip 3e-4/4e-4 (GSPO paper, section 5.1); seq-mean-token-mean (Eq. 5); minLength 1. */
  gspo: { takes: [...common, "clip", "minLength"], defaults: { clip: gspoClip, minLength: 1 }, make: gspo },
  /** Same defaults; one advantage per token (GSPO paper, section 4.3). */
  "gspo-token": {
    takes: [...common, "clip", "minLength"],
    defaults: { clip: gspoClip, minLength: 1 },
    make: gspoToken,
  },
  /** Clip 0.2/0.2 (PPO, TRL); sequence mean of token means (DeepSeekMath Eq. 3); no cap or KL. */
  grpo: {
    takes: [...clippedTokens, ...aggregated],
    defaults: { clip: ppoClip, aggregation: "seq-mean-token-mean" },
    make: grpo,
  },
  /** Constant length instead of |y| (Liu et al. 2025); clip 0.2/0.2 (TRL). */
  "dr-grpo": {
    takes: [...clippedTokens, "constantLength"],
    defaults: { clip: ppoClip },
    make: (options) => grpo({ ...options, aggregation: "seq-mean-token-sum-norm" }),
  },
  /** Clip-higher 0.2/0.28 and a token mean over the batch (Yu et al. 2025); no KL. */
  dapo: {
    takes: clippedTokens,
    defaults: { clip: { low: 0.2, high: 0.28 } },
    make: (options) => grpo({ ...options, aggregation: "token-mean" }),
  },
  /** Token mean, as GPG in verl. */
  reinforce: {
    takes: [...common, ...aggregated],
    defaults: { aggregation: "token-mean" },
    make: reinforce,
  },
  /** Weight at most 5 (ScaleRL), no lower bound, token mean (TRL). */
  cispo: {
    takes: [...common, ...aggregated, "maxRatio", "minRatio"],
    defaults: { maxRatio: 5, minRatio: 0, aggregation: "token-mean" },
    make: cispo,
  },
  /** τ 1, or 1.05 where A <= 0; sequence mean of token means (TRL). */
  sapo: {
    takes: [...common, ...aggregated, "positiveTemperature", "negativeTemperature"],
    defaults: { positiveTemperature: 1, negativeTemperature: 1.05, aggregation: "seq-mean-token-mean" },
    make: sapo,
  },
  /** Clip 0.4/0.4 in log space (paper). */
  gmpo: { takes: [...common, "clip"], defaults: { clip: { low: 0.4, high: 0.4 } }, make: gmpo },
  /** Clip 2e-3/2.5e-3 (TRL's recipe for the paper). */
  luspo: { takes: [...common, "clip"], defaults: { clip: { low: 2e-3, high: 2.5e-3 } }, make: luspo },
  /** (k, λ) = (2, 3), or (3, 2) where A < 0; log W in [log 1e-8, 20]; token mean (TRL). */
  vespo: {
    takes: [...common, "positive", "negative"],
    defaults: { positive: [2, 3], negative: [3, 2] },
    make: vespo,
  },
  /** Sum over N siblings (CoMLRL). */
  magrpo: { takes: common, make: magrpo },
};

/** Names of all objectives. */
export const objectiveNames: readonly ObjectiveName[] = Object.keys(presets) as ObjectiveName[];

/** Option shape. */
export function objectiveShape(name: ObjectiveName): Extract<Shape, { kind: "group" }> {
  checkChoice("objective", name, objectiveNames);
  const { takes, defaults = {} } = presets[name];
  return shapeOfOptions(takes, defaults);
}

/**
 * Creates an objective with its published defaults.
 * @throws LaconicError `config_invalid`
 */
export function objectivePreset(name: ObjectiveName, options: ObjectiveOptions = {}): Objective {
  checkChoice("objective", name, objectiveNames);
  const preset = presets[name];
  const stray = (Object.keys(options) as (keyof ObjectiveOptions)[]).find((key) => !preset.takes.includes(key));
  if (stray !== undefined)
    throw configError(`objective ${name}: ${stray} has no effect; it takes ${preset.takes.join(", ")}`, {
      objective: name,
      key: stray,
    });
  return preset.make({ ...preset.defaults, ...options });
}

/** Learning rate at which a step moves a sequence ratio by at least one percent. */
const largeStep = 5e-5;

/** Warns about valid options that are probably mistakes. */
export function objectiveWarnings(name: ObjectiveName, options: ObjectiveOptions, learningRate: number): string[] {
  const { clip } = options;
  if (!clip) return [];
  const width = Math.max(clip.low, clip.high);
  if (name === "grpo" && width < 1e-2)
    return ["grpo: this clip is made for sequence ratios; token ratios move by ten percent and more"];
  if (name !== "gspo" && name !== "gspo-token") return [];
  const warnings: string[] = [];
  if (width > 0.1)
    warnings.push(
      `${name}: a clip of ${clip.low}/${clip.high} is GRPO's width; a sequence ratio rarely moves by more than a few percent`,
    );
  if (learningRate < largeStep && width > 1e-2)
    warnings.push(
      `${name}: a clip of ${clip.low}/${clip.high} never acts at a learning rate of ${learningRate}; the paper pairs 3e-4/4e-4 with 1e-6`,
    );
  return warnings;
}
