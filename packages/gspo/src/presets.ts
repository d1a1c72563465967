import { LaconicError, type Objective } from "@laconic/core";
import type { CommonOptions } from "./objectives/assemble.ts";
import type { ClipRange } from "./objectives/clip-range.ts";
import { grpo } from "./objectives/grpo.ts";
import { gmpo, luspo, magrpo, vespo } from "./objectives/gspo-relatives.ts";
import { gspo, gspoToken } from "./objectives/gspo.ts";
import { cispo, reinforce, sapo } from "./objectives/policy-gradients.ts";

/** Options a preset takes beside its own defaults; one without effect on it is refused. */
export interface PresetOptions extends CommonOptions {
  readonly clip?: ClipRange;
  /** Dr.GRPO's constant length. */
  readonly constantLength?: number;
  /** GSPO's floor under |y|. */
  readonly minLength?: number;
}

interface Preset {
  readonly takes: readonly (keyof PresetOptions)[];
  make(options: PresetOptions): Objective;
}

/** Objectives by the name that configurations use. */
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

const common = ["kl", "importance", "offPolicyMask"] as const;

const presets: Readonly<Record<ObjectiveName, Preset>> = {
  gspo: { takes: [...common, "clip", "minLength"], make: gspo },
  "gspo-token": { takes: [...common, "clip", "minLength"], make: gspoToken },
  grpo: { takes: [...common, "clip"], make: (options) => grpo(options) },
  /** Liu et al. 2025: mean-only advantage, constant length. */
  "dr-grpo": {
    takes: [...common, "clip", "constantLength"],
    make: (options) => grpo({ ...options, aggregation: "seq-mean-token-sum-norm" }),
  },
  /** Yu et al. 2025: clip-higher, token mean over the whole batch. */
  dapo: {
    takes: [...common, "clip"],
    make: (options) => grpo({ clip: { low: 0.2, high: 0.28 }, ...options, aggregation: "token-mean" }),
  },
  reinforce: { takes: common, make: (options) => reinforce(options) },
  cispo: { takes: common, make: (options) => cispo(options) },
  sapo: { takes: common, make: (options) => sapo(options) },
  gmpo: { takes: [...common, "clip"], make: gmpo },
  luspo: { takes: [...common, "clip"], make: luspo },
  vespo: { takes: common, make: (options) => vespo(options) },
  magrpo: { takes: common, make: magrpo },
};

export const objectiveNames: readonly ObjectiveName[] = Object.keys(presets) as ObjectiveName[];

/**
 * An objective by name with its published defaults.
 * @throws LaconicError `config_invalid` for an option without effect, or one out of range.
 */
export function objectivePreset(name: ObjectiveName, options: PresetOptions = {}): Objective {
  const preset = presets[name];
  const stray = (Object.keys(options) as (keyof PresetOptions)[]).find((key) => !preset.takes.includes(key));
  if (stray !== undefined)
    throw new LaconicError(
      "config_invalid",
      `objective ${name}: ${stray} has no effect; it takes ${preset.takes.join(", ")}`,
      {
        objective: name,
        key: stray,
      },
    );
  return preset.make(options);
}

/** Known traps in a legal choice, in words; empty when there are none. */
export function objectiveWarnings(name: ObjectiveName, options: PresetOptions, learningRate: number): string[] {
  const warnings: string[] = [];
  const { clip } = options;
  if ((name === "gspo" || name === "gspo-token") && clip && Math.max(clip.low, clip.high) > 0.1)
    warnings.push(
      `${name}: a clip of ${clip.low}/${clip.high} is GRPO's width; a sequence ratio rarely moves by more than a few percent`,
    );
  if (
    (name === "gspo" || name === "gspo-token") &&
    clip &&
    learningRate <= 5e-6 &&
    Math.max(clip.low, clip.high) > 1e-2
  )
    warnings.push(
      `${name}: a clip of ${clip.low}/${clip.high} never acts at a learning rate of ${learningRate}; the paper pairs 3e-4/4e-4 with 1e-6`,
    );
  if (name === "grpo" && clip && Math.max(clip.low, clip.high) < 1e-2)
    warnings.push("grpo: this clip is made for sequence ratios; token ratios move by ten percent and more");
  return warnings;
}
