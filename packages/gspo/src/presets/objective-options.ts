import { group, type Field, type FieldsOf, type PolicyNeed, type Shape } from "@laconic/core";
import { aggregations } from "../aggregation.ts";
import { importanceKinds, importanceLevels, type ImportanceOptions } from "../importance.ts";
import { klEstimators, type KlOptions } from "../kl.ts";
import type { ClipRange } from "../objectives/clip-range.ts";
import type { GrpoOptions } from "../objectives/grpo.ts";
import type { VespoOptions } from "../objectives/gspo-relatives.ts";
import type { GspoOptions } from "../objectives/gspo.ts";
import type { CispoOptions, SapoOptions } from "../objectives/policy-gradients.ts";

/** Each objective refuses unused ones. */
export interface ObjectiveOptions extends GspoOptions, GrpoOptions, CispoOptions, SapoOptions, VespoOptions {}

export const commonOptions = ["kl", "importance", "offPolicyMask"] as const;

const above0 = { shape: "above0", optional: true } as const;
const pair = { shape: { kind: "list", of: "above0", least: 2, most: 2 }, optional: true } as const;

const fields: FieldsOf<ObjectiveOptions> = {
  kl: {
    help: "KL penalty to a reference policy; absent for none",
    shape: group<KlOptions>({
      estimator: {
        help: "Estimator of the divergence",
        shape: { kind: "choice", of: klEstimators },
      },
      coefficient: { help: "Factor of the penalty", shape: "above0" },
      biasCorrection: {
        help: "Multiplies by the importance ratio, for data of an older policy",
        shape: "boolean",
        optional: true,
        default: false,
      },
      to: {
        help: "The reference policy; the first weights by default",
        shape: group<PolicyNeed>({
          policy: { help: "Name of a policy", shape: "name" },
          at: { help: "From when its weights are", shape: { kind: "choice", of: ["old", "now", "first"] } },
        }),
        optional: true,
      },
    }),
    optional: true,
  },
  importance: {
    help: "Correction for replies that another policy sampled; absent for none",
    shape: group<ImportanceOptions>({
      kind: {
        help: "`truncate` (TIS) bounds the ratio, `mask` (MIS) drops ratios beyond it",
        shape: { kind: "choice", of: importanceKinds },
      },
      level: {
        help: "Unit of a ratio: token, sequence, or geometric mean over a sequence",
        shape: { kind: "choice", of: importanceLevels },
      },
      cap: { help: "Bound of the ratio", shape: "above1" },
      veto: {
        help: "Token ratio below which the whole sequence is dropped",
        shape: { kind: "number", above: 0, below: 1 },
        optional: true,
      },
      gapAbove: {
        ...above0,
        help: "Minimum mean log-prob gap of a corrected batch, in nats",
      },
    }),
    optional: true,
  },
  offPolicyMask: {
    ...above0,
    help: "Drops negative-advantage sequences whose mean log-prob fell by more, in nats",
  },
  clip: {
    help: "Clip range of the ratio around 1: one number, or one per side",
    shape: group<ClipRange>({
      low: { help: "Below 1", shape: "above0" },
      high: { help: "Above 1", shape: "above0" },
    }),
    optional: true,
  },
  aggregation: { help: "Aggregation of token losses", shape: { kind: "choice", of: aggregations }, optional: true },
  constantLength: { ...above0, help: "The length L of `seq-mean-token-sum-norm`" },
  minLength: {
    help: "Minimum reply length in the exponent of its ratio, in tokens",
    shape: { kind: "number", min: 1 },
    optional: true,
  },
  dualClip: {
    help: "Bounds the loss of a negative advantage by this times its size (dual clip); above 1 + clip.high",
    shape: "above1",
    optional: true,
  },
  maxRatio: { help: "Largest ratio", shape: "above1", optional: true },
  minRatio: { help: "Smallest ratio", shape: "shareBelow1", optional: true },
  positiveTemperature: { ...above0, help: "SAPO's temperature of the gate for positive advantages" },
  negativeTemperature: { ...above0, help: "SAPO's temperature of the gate for negative advantages" },
  positive: { ...pair, help: "VESPO's shape (k, λ) for advantages of 0 and more" },
  negative: { ...pair, help: "VESPO's shape (k, λ) for negative advantages" },
};

export function shapeOfOptions(
  names: readonly (keyof ObjectiveOptions)[],
  defaults: ObjectiveOptions,
): Extract<Shape, { kind: "group" }> {
  const all: Readonly<Record<string, Field>> = fields;
  const rows = names.map((name) => [name, { ...all[name], ...(name in defaults && { default: defaults[name] }) }]);
  return { kind: "group", fields: Object.fromEntries(rows) as Record<string, Field> };
}
