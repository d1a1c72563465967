import { exact, type Findings, type Place } from "../findings.ts";
import type { AuditedPolicy, AuditedStep } from "../folder/record.ts";
import type { StepContext } from "../memory.ts";
import { rowsOf } from "../rules/estimator-rows.ts";
import { estimatorOf } from "../rules/estimators.ts";
import { isOwnValue } from "../rules/schema.ts";
import type { ResolvedSettings } from "../rules/settings.ts";
import { treeAdvantages } from "../rules/tree-returns.ts";
import type { PolicyFacts, Trained } from "../step-facts.ts";
import { nameOf } from "./trained.ts";

/** Rows of an estimator as the grouping key makes them, and advantages by sequence and token. */
export function advantagesOf(
  { findings, memory }: StepContext,
  step: AuditedStep,
  {
    settings,
    name,
    judged,
    trained,
    prices,
    row,
  }: Pick<PolicyFacts, "name" | "judged" | "trained" | "prices" | "row"> & { readonly settings: ResolvedSettings },
): { values: readonly (readonly number[])[] | null; estimated: PolicyFacts["estimated"] } {
  const lengths = trained.map(({ utterance }) => utterance.trace?.tokens.length ?? 0);
  const everyToken = (values: readonly number[]): number[][] =>
    values.map((value, i) => new Array<number>(lengths[i] as number).fill(value));
  if (settings.tree) {
    const { advantages, nodesWithoutSpread } = treeAdvantages(
      step,
      settings,
      prices,
      settings.hasOwnBudget ? row.agents : null,
    );
    const numbers = trained.map(({ utterance }) => advantages.get(step.utterances.indexOf(utterance)) ?? 0);
    return {
      values: everyToken(numbers),
      estimated: { values: numbers, metrics: { frac_reward_zero_std: nodesWithoutSpread } },
    };
  }
  const { advantage, groupBy, weightBy } = settings;
  const baselines = memory.baselines.get(name) ?? new Map<string, number>();
  memory.baselines.set(name, baselines);
  if (isOwnValue(groupBy)) {
    findings.leaveOut(`advantages of ${name}`, "groups are user-defined; recorded advantages are taken");
    return { values: null, estimated: { values: null, metrics: {} } };
  }
  const members: number[][] =
    groupBy === "prompt"
      ? judged.map((_, i) => trained.flatMap((each, s) => (each.rollout === i ? [s] : [])))
      : trained.map((_, s) => [s]);
  const rows = rowsOf(members, { groupBy, weightBy }, judged, trained);
  const estimator = typeof advantage === "string" ? null : estimatorOf(advantage);
  if (!estimator || (estimator.remembers && !memory.isWhole)) {
    // A user's own is kept by where it is made.
    const own = typeof advantage === "string" ? advantage : (advantage.estimator ?? null);
    findings.leaveOut(
      `advantages of ${name}`,
      estimator
        ? `the estimator ${own} remembers steps that are not recorded`
        : `the estimator${own === null ? "" : ` ${own}`} is user-defined; recorded advantages are taken`,
    );
    return { values: null, estimated: { values: null, metrics: {} } };
  }
  const costThreshold = settings.costWhenTaskAtLeast ?? Number.NEGATIVE_INFINITY;
  const result = estimator.estimate({ rows, prices, costThreshold, baselines });
  const perSequence: number[][] = trained.map(() => []);
  members.forEach((sequences, i) => {
    let at = 0;
    for (const s of sequences) {
      const length = lengths[s] as number;
      perSequence[s] = result.perToken
        ? (result.perToken[i] as number[]).slice(at, at + length)
        : new Array<number>(length).fill(result.perRow?.[i] as number);
      at += length;
    }
  });
  const values = estimator.remembers ? null : (result.perRow ?? null);
  return { values: perSequence, estimated: { values, metrics: result.metrics } };
}

/** Advantages of what there was to train on, as those of what was trained on. */
export function valuesOf(
  values: readonly (readonly number[])[],
  all: readonly Trained[],
  trained: readonly Trained[],
): number[][] {
  const places = new Map(all.map(({ rollout, utterance }, i) => [nameOf(rollout, utterance.turn), i]));
  return trained.map(({ rollout, utterance }) => [
    ...(values[places.get(nameOf(rollout, utterance.turn)) ?? -1] ?? []),
  ]);
}

/** Recorded one a sequence, or one a token. */
export function compareAdvantages(
  findings: Findings,
  place: Place,
  trained: readonly Trained[],
  perSequence: readonly (readonly number[])[] | null,
  { advantages }: AuditedPolicy,
): void {
  if (!perSequence) return;
  const tokens = perSequence.reduce((sum, each) => sum + each.length, 0);
  const one = advantages.length === trained.length;
  if (!one) findings.number("advantage", place, "advantages", tokens, advantages.length, exact);
  let at = 0;
  perSequence.forEach((expected, s) => {
    const { place: where } = trained[s] as Trained;
    if (one) findings.number("advantage", where, "advantage", expected[0] ?? Number.NaN, advantages[s]);
    else
      expected.forEach((value, token) =>
        findings.number("advantage", { ...where, token }, "advantage", value, advantages[at + token]),
      );
    at += expected.length;
  });
}
