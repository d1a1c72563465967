import { LaconicError, statisticOf } from "@laconic/core";
import type { Diagnostics, Objective, ObjectiveInput, ObjectiveOutput } from "@laconic/core";
import { sequenceWeights, type Aggregation } from "../aggregation.ts";
import { clipsByLength, ratioDiagnostics } from "../diagnostics.ts";
import {
  checkImportance,
  importanceSettings,
  importanceWeights,
  type ImportanceOptions,
  checkOffPolicyMask,
  offPolicySequences,
} from "../importance.ts";
import { addKl, checkKl, klNeeds, klSettings, type KlOptions } from "../kl.ts";
import { notFinite, prepare, type Prepared } from "../prepare.ts";

/** Terms of any objective. */
export interface CommonOptions {
  readonly kl?: KlOptions;
  readonly importance?: ImportanceOptions;
  /** Drops sequences with A < 0 and mean log π_roll - log π above this (DeepSeek-V3.2; 0.5). Default π_roll: π_old. */
  readonly offPolicyMask?: number;
}

/** Loss and gradient before importance weights and KL. */
export interface PolicyTerm {
  /** Weighted; they sum to the policy loss. */
  readonly losses: Float64Array;
  readonly gradient: Float64Array;
  readonly ratios: Float64Array;
  readonly clipped: Int8Array;
  readonly clamped: number;
  /** One ratio per sequence with trained tokens; otherwise one per token. */
  readonly bySequence?: boolean;
}

/** @throws LaconicError `objective_refused` for importance weights besides those that the objective has */
export function refuseImportance(name: string, own: string, { importance }: CommonOptions): void {
  if (importance)
    throw new LaconicError(
      "objective_refused",
      `${name}: its detached ${own} is an importance weight already; importance would count twice`,
    );
}

export interface ObjectiveParts extends CommonOptions {
  readonly name: string;
  readonly settings: Objective["settings"];
  readonly aggregation: Aggregation;
  readonly constantLength?: number;
  readonly advantagePer?: Objective["advantagePer"];
  policy(prepared: Prepared, weights: Float64Array): PolicyTerm;
}

export function assemble(parts: ObjectiveParts): Objective {
  checkKl(parts.kl);
  checkImportance(parts.importance);
  if (parts.offPolicyMask !== undefined) checkOffPolicyMask(parts.offPolicyMask);
  const settings = {
    ...parts.settings,
    ...klSettings(parts.kl),
    ...importanceSettings(parts.importance),
    offPolicyMask: parts.offPolicyMask ?? null,
  };
  return {
    name: parts.name,
    settings,
    ...(parts.kl && { needs: klNeeds(parts.kl) }),
    ...(parts.advantagePer && { advantagePer: parts.advantagePer }),
    evaluate: (input) => evaluate(parts, input),
  };
}

function evaluate(parts: ObjectiveParts, input: ObjectiveInput): ObjectiveOutput {
  const prepared = prepare(input);
  const weights = sequenceWeights(prepared, parts.aggregation, parts.constantLength);
  const { losses, gradient, ratios, clipped, clamped, bySequence } = parts.policy(prepared, weights);
  let diagnostics: Diagnostics = ratioDiagnostics(prepared, ratios, clipped, clamped);
  if (bySequence) diagnostics = { ...diagnostics, ...clipsByLength(prepared, clipped) };
  const importance = parts.importance && importanceWeights(prepared, parts.importance);
  if (importance) {
    scale(losses, gradient, importance.weights);
    diagnostics = { ...diagnostics, ...importance.diagnostics };
  }
  if (parts.offPolicyMask !== undefined)
    diagnostics = { ...diagnostics, ...dropOffPolicy(prepared, parts.offPolicyMask, losses, gradient) };
  if (parts.kl) diagnostics = { ...diagnostics, ...addKl(prepared, parts.kl, weights, losses, gradient) };
  const loss = sumOf(prepared, losses, gradient);
  return { loss, gradient, diagnostics: { ...diagnostics, policy_loss: statisticOf([loss]) } };
}

/** @throws LaconicError `numeric_invalid` for too large an advantage or weight */
function sumOf({ input }: Prepared, losses: Float64Array, gradient: Float64Array): number {
  let loss = 0;
  for (let t = 0; t < losses.length; t++) {
    loss += losses[t]!;
    if (Number.isFinite(loss) && Number.isFinite(gradient[t])) continue;
    const { offsets } = input.logProbs;
    const sequence = offsets.findLastIndex((offset) => offset <= t);
    throw notFinite("loss or gradient", sequence, t - offsets[sequence]!);
  }
  return loss;
}

function scale(losses: Float64Array, gradient: Float64Array, weights: Float64Array): void {
  for (let t = 0; t < losses.length; t++) {
    losses[t] = losses[t]! * weights[t]!;
    gradient[t] = gradient[t]! * weights[t]!;
  }
}

function dropOffPolicy(prepared: Prepared, limit: number, losses: Float64Array, gradient: Float64Array): Diagnostics {
  const { offsets } = prepared.input.logProbs;
  const dropped = offPolicySequences(prepared, limit);
  dropped.forEach((drop, s) => {
    if (drop === 0) return;
    losses.fill(0, offsets[s], offsets[s + 1]);
    gradient.fill(0, offsets[s], offsets[s + 1]);
  });
  return { "off_policy/dropped": statisticOf(dropped) };
}
