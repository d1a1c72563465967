import { statisticOf, type Objective, type ObjectiveInput } from "@laconic/core";
import { sequenceWeights, type Aggregation } from "./aggregation.ts";
import {
  checkImportance,
  importanceSettings,
  importanceWeights,
  type ImportanceOptions,
  checkOffPolicyMask,
  offPolicySequences,
} from "./importance.ts";
import { addKl, checkKl, klNeeds, klSettings, type KlOptions } from "./kl.ts";
import { advantageAt, prepare, type Prepared } from "./prepare.ts";

/**
 * Adds truncated or masked importance weights (TIS, MIS): ρ = π_old / π_roll multiplies each advantage.
 * @throws LaconicError `config_invalid`; at evaluation `input_invalid` without `rollLogProbs`, `objective_refused` if
 * they equal the old log-probs
 */
export function withImportance(objective: Objective, options: ImportanceOptions): Objective {
  checkImportance(options);
  return {
    ...objective,
    settings: { ...objective.settings, ...importanceSettings(options) },
    evaluate(input) {
      const prepared = prepare(input);
      const importance = importanceWeights(prepared, options);
      if (!importance) return objective.evaluate(input);
      const { weights, diagnostics } = importance;
      const byToken = options.level === "token";
      const output = objective.evaluate({ ...input, advantages: rescaled(prepared, weights, byToken) });
      return { ...output, diagnostics: { ...output.diagnostics, ...diagnostics } };
    },
  };
}

/**
 * Drops drifted sequences: A < 0 and mean log π_roll - log π above the limit (DeepSeek-V3.2; about 0.5).
 * @throws LaconicError `config_invalid`
 */
export function withOffPolicyMask(objective: Objective, limit: number): Objective {
  checkOffPolicyMask(limit);
  return {
    ...objective,
    settings: { ...objective.settings, offPolicyMask: limit },
    evaluate(input) {
      const prepared = prepare(input);
      const dropped = offPolicySequences(prepared, limit);
      const { offsets } = input.logProbs;
      const keep = new Float64Array(input.logProbs.values.length).fill(1);
      dropped.forEach((drop, s) => drop === 1 && keep.fill(0, offsets[s], offsets[s + 1]));
      const output = objective.evaluate({ ...input, advantages: rescaled(prepared, keep, prepared.advantagePerToken) });
      return { ...output, diagnostics: { ...output.diagnostics, "off_policy/dropped": statisticOf(dropped) } };
    },
  };
}

/**
 * Adds a penalty for divergence from a reference.
 * @throws LaconicError `config_invalid`; `input_invalid` at evaluation without `refLogProbs`
 */
export function withKl(
  objective: Objective,
  options: KlOptions,
  aggregation: Aggregation = "seq-mean-token-mean",
): Objective {
  checkKl(options);
  return {
    ...objective,
    settings: { ...objective.settings, ...klSettings(options) },
    needs: [...(objective.needs ?? []), ...klNeeds(options)],
    evaluate(input) {
      const output = objective.evaluate(input);
      const prepared = prepare(input);
      const gradient = Float64Array.from(output.gradient);
      const losses = new Float64Array(gradient.length);
      const diagnostics = addKl(prepared, options, sequenceWeights(prepared, aggregation), losses, gradient);
      const loss = losses.reduce((sum, value) => sum + value, output.loss);
      return { loss, gradient, diagnostics: { ...output.diagnostics, ...diagnostics } };
    },
  };
}

/** Weighted advantages; one per sequence if its tokens share one. */
function rescaled(prepared: Prepared, weights: Float64Array, byToken: boolean): Float64Array {
  const { input, sequences, advantagePerToken } = prepared;
  const { offsets } = input.logProbs;
  const scaled = (s: number, t: number) => advantageAt(prepared, s, t) * weights[t]!;
  if (!byToken && !advantagePerToken)
    return Float64Array.from({ length: sequences }, (_, s) => {
      const first = firstTrained(input, s);
      return first < 0 ? 0 : scaled(s, first);
    });
  const advantages = new Float64Array(weights.length);
  for (let s = 0; s < sequences; s++) for (let t = offsets[s]!; t < offsets[s + 1]!; t++) advantages[t] = scaled(s, t);
  return advantages;
}

function firstTrained({ logProbs: { offsets }, mask }: ObjectiveInput, s: number): number {
  for (let t = offsets[s]!; t < offsets[s + 1]!; t++) if (!mask || mask[t] !== 0) return t;
  return -1;
}
