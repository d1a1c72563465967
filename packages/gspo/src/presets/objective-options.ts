import { group, shapes, type Field, type FieldsOf, type PolicyNeed, type Shape } from "@laconic/core";
import type { Aggregation } from "../aggregation.ts";
import type { ImportanceOptions } from "../importance.ts";
import type { KlOptions } from "../kl.ts";
import type { ClipRange } from "../objectives/clip-range.ts";
import type { GrpoOptions } from "../objectives/grpo.ts";
import type { VespoOptions } from "../objectives/gspo-relatives.ts";
import type { GspoOptions } from "../objectives/gspo.ts";
import type { CispoOptions, SapoOptions } from "../objectives/policy-gradients.ts";

/** Everything that some objective takes; each takes a part of it, and refuses the rest. */
export interface ObjectiveOptions extends GspoOptions, GrpoOptions, CispoOptions, SapoOptions, VespoOptions {}

export const commonOptions = ["kl", "importance", "offPolicyMask"] as const;

const above0 = { shape: shapes.above0, optional: true } as const;
const pair = { shape: { kind: "list", of: shapes.above0, least: 2, most: 2 }, optional: true } as const;

const fields: FieldsOf<ObjectiveOptions> = {
  kl: {
    shape: group<KlOptions>({
      estimator: { shape: { kind: "choice", of: ["k1", "k2", "k3", "k1+", "k3+"] } },
      coefficient: { shape: shapes.above0 },
      biasCorrection: { shape: shapes.boolean, optional: true },
      to: {
        shape: group<PolicyNeed>({
          policy: { shape: { kind: "text", notEmpty: true } },
          at: { shape: { kind: "choice", of: ["old", "now", "first"] } },
        }),
        optional: true,
      },
    }),
    optional: true,
  },
  importance: {
    shape: group<ImportanceOptions>({
      kind: { shape: { kind: "choice", of: ["truncate", "mask"] } },
      level: { shape: { kind: "choice", of: ["token", "sequence", "geometric"] } },
      cap: { shape: { kind: "number", above: 1 } },
      veto: { shape: { kind: "number", above: 0, below: 1 }, optional: true },
      gapAbove: above0,
    }),
    optional: true,
  },
  offPolicyMask: above0,
  clip: { shape: group<ClipRange>({ low: { shape: shapes.above0 }, high: { shape: shapes.above0 } }), optional: true },
  aggregation: {
    shape: {
      kind: "choice",
      of: [
        "seq-mean-token-mean",
        "token-mean",
        "seq-mean-token-sum",
        "seq-mean-token-sum-norm",
        "token-sum",
        "prompt-mean",
      ] satisfies Aggregation[],
    },
    optional: true,
  },
  constantLength: above0,
  minLength: { shape: { kind: "number", min: 1 }, optional: true },
  dualClip: { shape: { kind: "number", above: 1 }, optional: true },
  maxRatio: { shape: { kind: "number", above: 1 }, optional: true },
  minRatio: { shape: { kind: "number", min: 0, below: 1 }, optional: true },
  positiveTemperature: above0,
  negativeTemperature: above0,
  positive: pair,
  negative: pair,
};

/** A group of some of the options. */
export function shapeOfOptions(names: readonly (keyof ObjectiveOptions)[]): Extract<Shape, { kind: "group" }> {
  const all: Readonly<Record<string, Field>> = fields;
  return { kind: "group", fields: Object.fromEntries(names.map((name) => [name, all[name] as Field])) };
}
