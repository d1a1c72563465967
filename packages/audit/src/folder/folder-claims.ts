import type { Findings } from "../findings.ts";
import { metricsOf } from "../metrics.ts";
import { comparePassed } from "../passed-tokens.ts";
import { firstPrice, budgetsOf, ownBudgetsOf } from "../rules/prices.ts";
import type { RunFolder } from "./run-folder.ts";
import type { StepFacts } from "../step-facts.ts";

type Json = Readonly<Record<string, unknown>>;

/** One line a step and no gap, in metrics and records; what was not recorded is said. */
export function compareRows(run: RunFolder, recorded: readonly number[], findings: Findings): void {
  const last = [...recorded, ...run.metrics.steps()].reduce((max, step) => Math.max(max, step), 0);
  const [first = last + 1] = recorded;
  if (first > 1 && last > 0)
    findings.leaveOut(
      `steps 1 to ${first - 1}`,
      run.hasLetGo
        ? "`train.retention` let their records go"
        : "the run did not record them: it was switched off, or the version that made it did not",
    );
  for (let step = run.rowsFrom; step <= last; step++) {
    if (step >= first) findings.same("folder", { step }, "record of the step", true, run.steps.has(step));
    // A step that a kill interrupted has its record, and no metrics yet.
    const isTorn = step === last && run.steps.has(step) && !run.metrics.has(step);
    if (!isTorn) findings.same("folder", { step }, "metrics.jsonl: line of the step", true, run.metrics.has(step));
  }
  for (const step of run.evaluations.keys())
    if (!run.evaluated.has(step)) findings.leaveOut(`evaluation at step ${step}`, "its episodes are not recorded");
}

const ofCuts = "it is of micro-batches, and where the engine cut is not recorded";
const rowsOfCuts =
  "not recomputed: rows depend on where the engine cut micro-batches, which is not recorded; that they lie between the prefixes of each optimiser step and its tokens is checked";

/** What a recording cannot say again: sizes of micro-batches, and log-probs of a probe. */
const unsaid: Readonly<Record<string, string>> = {
  "actor/rows_passed": rowsOfCuts,
  "sampling/ess": ofCuts,
  "sampling/logp_difference_mean": "it is of a few sequences that were forwarded once more, without a record",
  "sampling/logp_difference_max": "it is of a few sequences that were forwarded once more, without a record",
};

/** What {@link comparePassed} computes. */
const recomputedApart: ReadonlySet<string> = new Set(["actor/tokens_passed", "actor/shared_token_fraction"]);

/** Every number of the step's line in `metrics.jsonl`. */
export function compareMetrics(run: RunFolder, facts: StepFacts): void {
  const { step, findings } = { step: facts.step.step, findings: facts.findings };
  const row = run.metrics.get(step);
  if (!row) return;
  const expected = metricsOf(facts, run.trainAt(step));
  for (const [key, value] of Object.entries(expected)) {
    // Before there were environments no row counted episodes that one had ended.
    if (key === "stop/done" && value === 0 && !(key in row)) continue;
    findings.number("metric", { step }, key, value, row[key]);
  }
  for (const policy of facts.policies)
    comparePassed(policy, row, facts.policies.length === 1 ? "" : `policy/${policy.name}/`, { step }, findings);
  for (const key of Object.keys(row)) {
    if (key in expected || key === "nonfinite") continue;
    const name = key.replace(/^policy\/[\w-]+\//u, "");
    if (recomputedApart.has(name)) continue;
    findings.leaveOut(`metric ${name}`, unsaid[name] ?? whyMissing(findings));
  }
}

function whyMissing({ notAuditable }: Findings): string {
  return notAuditable.some(({ what }) => what.startsWith("loss of") || what.startsWith("advantages of"))
    ? "it follows from a user-defined value"
    : "this audit has no second rule for it";
}

/** Prices that a checkpoint goes on with, and its pool of opponents. */
export function comparePrices(run: RunFolder, { step: { step }, budgets, rivals, findings }: StepFacts): void {
  const state = run.checkpoints.find((each) => each.step === step)?.state;
  if (!state) return;
  if (rivals) findings.same("folder", { step }, "checkpoint's opponents", rivals, state["opponents"]);
  const kept = (state["budgets"] ?? {}) as Readonly<Record<string, Json>>;
  const train = run.trainAt(step);
  const known = budgetsOf(train);
  const names = (each: Json): string[] => Object.keys(each).toSorted();
  findings.same(
    "price",
    { step },
    "checkpoint's budgets",
    [...names(known), ...ownBudgetsOf(train)].toSorted(),
    names(kept),
  );
  for (const [cost, settings] of Object.entries(known)) {
    const found = kept[cost] ?? {};
    const next = budgets[cost]?.next ?? firstPrice(settings);
    for (const key of ["iteration", "price", "integral"] as const)
      findings.number("price", { step }, `checkpoint's ${key} of ${cost}`, next[key], found[key]);
  }
}
