import { budgetStateShape, type PriceState } from "@laconic/budget";
import type { EvaluationPoint, Learned, ProblemResult } from "@laconic/core";
import { schemaOf } from "@laconic/core/schemas";
import * as z from "zod";
import { deadTrainingSchema, type DeadTrainingSigns } from "../dead-training.ts";
import { watchSchema, type DivergenceWatch } from "../divergence.ts";
import type { Evaluation } from "../evaluate.ts";
import type { OpponentState } from "../opponents/games.ts";
import type { ScheduleState } from "../queue/group-scheduler.ts";

/** State without weights. Random streams derive from seed and step. */
export interface LoopState extends Learned {
  /** Prices of the team's budgets by cost. */
  readonly budgets: Readonly<Record<string, PriceState>>;
  /** Prices of policies with a budget. */
  readonly policyBudgets: Readonly<Record<string, PriceState>>;
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Best accuracy so far, and evaluations since. */
  readonly best: { readonly step: number; readonly accuracy: number; readonly since: number };
  /** Regular checkpoint with the highest mean training grade; only for runs evaluated at their ends. */
  readonly bestTrained?: { readonly step: number; readonly grade: number };
  readonly watch?: DivergenceWatch;
  readonly deadTraining?: DeadTrainingSigns;
  /** Pool with results, without weights. */
  readonly opponents?: readonly OpponentState[];
  /** Input of stopping rules. */
  readonly evaluations?: readonly EvaluationPoint[];
  readonly isStopped?: boolean;
  readonly queue?: ScheduleState;
}

const measured = {
  problems: z.int(),
  accuracy: z.number(),
  interval: z.tuple([z.number(), z.number()]).readonly().nullable(),
  tokens: z.number(),
  measures: z.record(z.string(), z.number()).exactOptional(),
  language: z
    .record(
      z.string(),
      z.strictObject({
        perplexity: z.number(),
        repetition: z.number(),
        vocabulary: z.number(),
        perplexityWithEnd: z.number().exactOptional(),
        templateEntropy: z.number().exactOptional(),
        commonestTemplate: z.number().exactOptional(),
      }),
    )
    .exactOptional(),
};

const evaluationSchema: z.ZodType<Evaluation> = z.strictObject({
  step: z.int(),
  ...measured,
  groups: z.record(z.string(), z.strictObject(measured)).exactOptional(),
  silence: z.record(z.string(), z.number()),
  scoring: z.strictObject({ scored: z.int(), undecided: z.int(), invalid: z.int(), error: z.int() }).exactOptional(),
  opponents: z
    .record(
      z.string(),
      z.strictObject({ games: z.int(), winRate: z.number(), interval: z.tuple([z.number(), z.number()]).readonly() }),
    )
    .exactOptional(),
});

const priceStateSchema: z.ZodType<PriceState> = z.union([
  schemaOf(budgetStateShape),
  z.looseObject({ price: z.number().min(0) }),
]);

const resultSchema: z.ZodType<ProblemResult> = z.strictObject({
  plays: z.int().min(1),
  mean: z.number(),
  last: z.number(),
  lastStep: z.int().min(0),
});

const opponentSchema: z.ZodType<OpponentState> = z.strictObject({
  name: z.string().min(1),
  step: z.int().min(0).nullable(),
  games: z.int().min(0),
  points: z.number().min(0),
});

const pointSchema: z.ZodType<EvaluationPoint> = z.strictObject({
  step: z.int().min(0),
  accuracy: z.number(),
  tokens: z.number(),
  measures: z.record(z.string(), z.number()).exactOptional(),
});

const loopStateFields = {
  step: z.int().min(0),
  budgets: z.record(z.string(), priceStateSchema),
  policyBudgets: z.record(z.string(), priceStateSchema),
  estimators: z.record(z.string(), z.json()),
  before: evaluationSchema,
  after: evaluationSchema,
  best: z.strictObject({ step: z.int(), accuracy: z.number(), since: z.int() }),
  bestTrained: z.strictObject({ step: z.int(), grade: z.number() }).exactOptional(),
  watch: watchSchema.exactOptional(),
  deadTraining: deadTrainingSchema.exactOptional(),
  results: z.record(z.string(), resultSchema).exactOptional(),
  opponents: z.array(opponentSchema).readonly().exactOptional(),
  evaluations: z.array(pointSchema).readonly().exactOptional(),
  isStopped: z.boolean().exactOptional(),
  queue: z.strictObject({ next: z.int().min(0), again: z.array(z.int().min(0)).readonly() }).exactOptional(),
} satisfies Record<keyof LoopState, z.ZodType>;

export const loopStateSchema: z.ZodType<LoopState> = z.strictObject(loopStateFields);

/** Returns the learned state of a run. */
export function learnedOf({ step, budgets, policyBudgets, estimators, results, opponents }: LoopState): Learned {
  return { step, budgets, policyBudgets, estimators, ...(results && { results }), ...(opponents && { opponents }) };
}

/** JSON with a fixed key order; states of resumed runs have another order. */
export function stateText(state: LoopState): string {
  const names = Object.keys(loopStateFields) as (keyof LoopState)[];
  const ordered = names.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]]));
  return `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`;
}
