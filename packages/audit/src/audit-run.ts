import { setImmediate } from "node:timers/promises";
import { LaconicError } from "@laconic/core";
import { auditStep } from "./audit-step.ts";
import { checkChanges } from "./folder/changes.ts";
import { tolerances } from "./weights/audit-weights.ts";
import { auditEvaluation } from "./evaluation.ts";
import { arithmetic, exact, Findings, type Difference, type Stage, type Tolerance } from "./findings.ts";
import { coverageOf, type FileCoverage } from "./folder/file-coverage.ts";
import { comparePrices, compareMetrics, compareRows } from "./folder/folder-claims.ts";
import { Memory, type StepContext } from "./memory.ts";
import { readContent, type Recorded } from "./folder/record.ts";
import { checkDigests, readRunFolder } from "./folder/run-folder.ts";
import { secondGrade } from "./second-grades.ts";
import { openWeights, type WeightOptions } from "./weights/weight-checks.ts";

/** How much of a run is audited, and by whom. */
export interface AuditOptions extends WeightOptions {
  /** First and last step; all that are recorded when absent. */
  readonly steps?: readonly [first: number, last: number] | undefined;
  readonly signal?: AbortSignal;
  /** Hears how far it is: the step, and the seconds that are left. */
  readonly progress?: (step: number, last: number, secondsLeft: number) => void;
}

/** What an audit came to. */
export interface AuditReport {
  readonly run: string;
  readonly agrees: boolean;
  /** First and last step that were audited; null where nothing is recorded. */
  readonly steps: readonly [first: number, last: number] | null;
  /** What moved the weights again; empty where nothing did. */
  readonly weights: readonly string[];
  /** What of the weights was checked, in words. */
  readonly weightsChecked: readonly string[];
  /** False after an interrupt: what was found by then. */
  readonly complete: boolean;
  /** The first ten thousand, in the order in which a run computes. */
  readonly differences: readonly Difference[];
  readonly differencesTotal: number;
  /** Values by stage. */
  readonly compared: Readonly<Partial<Record<Stage, number>>>;
  /** Largest difference that was let pass, by stage. */
  readonly largest: Readonly<Partial<Record<Stage, number>>>;
  readonly tolerances: Readonly<Record<string, Tolerance>>;
  readonly notAuditable: readonly { readonly what: string; readonly why: string }[];
  /** Everything that lies in the folder, and whether it is covered. */
  readonly files: readonly FileCoverage[];
  readonly seconds: number;
}

/**
 * Recomputes a run from its folder with independent code and reports any difference. It only reads.
 * @throws LaconicError `run_missing`, `config_invalid` for steps that are not recorded
 */
export async function auditRun(directory: string, options: AuditOptions): Promise<AuditReport> {
  const { now, signal } = options;
  const started = now();
  const run = await readRunFolder(directory);
  const recorded = [...run.steps.keys()].toSorted((a, b) => a - b);
  const [first, last] = rangeOf(directory, recorded, options.steps);
  const findings = new Findings(
    (step = 0) => step >= (options.steps ? first : 0) && step <= (options.steps ? last : Infinity),
  );
  compareRows(run, recorded, findings);
  await checkDigests(run, findings);
  const grade = run.hasOwnReward ? null : secondGrade(run.task);
  if (!grade) findings.leaveOut("grades", "there is no second rule for those of this task; recorded grades are taken");
  for (const [step, line] of run.evaluated)
    auditEvaluation(findings, readContent(line), run.evaluations.get(step), grade);
  if (run.test?.episodes) auditEvaluation(findings, readContent(run.test.episodes), run.test.row, grade);
  else
    findings.leaveOut(
      "test problems",
      run.test
        ? "their episodes are not recorded"
        : "the run has no test figures: it did not end, or all its held-out problems were evaluated on",
    );
  const weights = await openWeights(run, [first, last], findings, options);
  const memory = new Memory(recorded[0] === 1);
  checkChanges(run.config, run.changes, recorded.at(-1) ?? 0, findings);
  const from = Math.min(first, weights.from);
  const since = now();
  let complete = true;
  try {
    for (const step of recorded.filter((each) => each <= last)) {
      if (signal?.aborted) complete = false;
      if (!complete) break;
      const context: StepContext = { train: run.trainAt(step), grade, memory, findings };
      const facts = auditStep(context, readContent(run.steps.get(step) as Recorded));
      compareMetrics(run, facts);
      comparePrices(run, facts);
      await weights.step(facts);
      const done = (step - from + 1) / (last - from + 1);
      if (done > 0) options.progress?.(step, last, ((now() - since) / 1000 / done) * (1 - done));
      await setImmediate();
    }
  } finally {
    await weights.close();
  }
  return {
    run: directory,
    agrees: findings.total === 0,
    steps: recorded.length === 0 ? null : [first, last],
    weights: weights.by,
    weightsChecked: weights.checked(),
    complete,
    differences: findings.sorted(),
    differencesTotal: findings.total,
    compared: findings.compared,
    largest: findings.largest,
    tolerances: { arithmetic, exact, ...tolerances },
    notAuditable: findings.notAuditable,
    files: await coverageOf(directory, weights.by.length > 0),
    seconds: (now() - started) / 1000,
  };
}

/** @throws LaconicError `config_invalid` for steps that the run has no record of */
function rangeOf(
  directory: string,
  recorded: readonly number[],
  asked: AuditOptions["steps"],
): readonly [first: number, last: number] {
  const min = recorded[0] ?? 1;
  const max = recorded.at(-1) ?? 0;
  if (!asked) return [min, max];
  const [first, last] = asked;
  if (first >= min && last <= max && first <= last) return asked;
  throw new LaconicError(
    "config_invalid",
    recorded.length === 0
      ? `--steps: ${directory} has no recorded steps`
      : `--steps ${first}..${last}: the run has records of the steps ${min} to ${max}`,
    { first, last, recorded: recorded.length },
  );
}
