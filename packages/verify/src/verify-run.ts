import { setImmediate } from "node:timers/promises";
import { checkEvaluation } from "./checks/evaluations.ts";
import type { EpisodeRules } from "./checks/episodes.ts";
import { checkMetrics } from "./checks/metrics.ts";
import { checkPolicy } from "./checks/policies.ts";
import { ProblemChecks } from "./checks/problems.ts";
import { checkKeptPrices, checkRollouts, PriceChain } from "./checks/rollouts.ts";
import { checkRows } from "./checks/rows.ts";
import { SamplerChecks } from "./checks/samplers.ts";
import { Findings, type Contradiction, type Stage } from "./findings.ts";
import { checkChanges } from "./folder/changes.ts";
import { checkChecksums } from "./folder/checksums.ts";
import { readRecord, whereReadable, type EvaluationRecord, type StepRecord } from "./folder/record.ts";
import { readRunFolder, type RunFolder } from "./folder/run-folder.ts";
import type { Json } from "./rules/closed-set.ts";
import { taskName, worldOf } from "./tasks/world.ts";

/** What became of a verification. */
export interface VerifyReport {
  readonly run: string;
  /** Of `partial` all that is covered agrees, and `notCovered` names the rest. */
  readonly verdict: "agrees" | "partial" | "contradicts";
  /** Recorded steps. */
  readonly steps: number;
  /** The first ten thousand, in the order in which a run computes. */
  readonly contradictions: readonly Contradiction[];
  readonly contradictionsTotal: number;
  /** What is not computed, and why. */
  readonly notCovered: readonly { readonly name: string; readonly why: string }[];
  /** Values by stage. */
  readonly compared: Readonly<Partial<Record<Stage, number>>>;
}

/**
 * Checks a run from its folder alone with plain formulas, and names what it does not cover. It only reads.
 * @param allowed - names of what need not be covered; they stay in the report
 * @throws LaconicError `run_missing`, `config_invalid` for a folder without a run, `data_invalid` for a damaged record
 */
export async function verifyRun(directory: string, allowed: readonly string[] = []): Promise<VerifyReport> {
  const run = await readRunFolder(directory);
  const findings = new Findings();
  checkRows(run, findings);
  await checkChecksums(run, findings);
  checkChanges(run.config, run.changes, Math.max(0, ...run.records.map(({ step }) => step)), findings);
  const steps = await checkRecords(run, findings);
  findings.leaveOut("weights", "log-probs, gradients and weights take the network; only their checksums are compared");
  for (const file of run.unread) findings.leaveOut("files", file);
  const notCovered = Array.from(findings.notCovered, ([name, reasons]) => ({ name, why: [...reasons].join(", ") }));
  const isCovered = notCovered.every(({ name }) => allowed.includes(name));
  return {
    run: directory,
    verdict: findings.total > 0 ? "contradicts" : isCovered ? "agrees" : "partial",
    steps,
    contradictions: findings.sorted(),
    contradictionsTotal: findings.total,
    notCovered,
    compared: findings.compared,
  };
}

interface Checks {
  readonly run: RunFolder;
  readonly rules: EpisodeRules;
  readonly problems: ProblemChecks;
  readonly samplers: SamplerChecks;
  readonly prices: PriceChain;
}

/** Steps and evaluations in the order of the file; the test problems first, which no other split may have. */
async function checkRecords(run: RunFolder, findings: Findings): Promise<number> {
  const whole = run.records.filter(({ isComplete }) => isComplete);
  const steps = whole.filter(({ kind }) => kind === "step");
  const [task, world] = [taskName(run.config["task"]), worldOf(run.config["task"])];
  const hasOwnReward = run.trainAt(0).reward !== undefined;
  const rules: EpisodeRules = { findings, task, world, hasOwnReward, traced: new Set(), texts: new Map() };
  const [first] = steps;
  const checks: Checks = {
    run,
    rules,
    problems: new ProblemChecks(run, task, world, findings),
    samplers: new SamplerChecks(first ? whereReadable(first, () => readRecord(first)) : null, findings),
    prices: new PriceChain(),
  };
  const test = run.test?.record;
  if (test)
    whereReadable(test, () => {
      const { played } = readRecord(test);
      checks.problems.heldOut(
        "test",
        test.step,
        played.map(({ problem }) => problem),
      );
    });
  for (const recorded of whole) {
    if (recorded.kind === "evaluation") {
      const row = run.evaluations.find(({ step }) => step === recorded.step) ?? {};
      whereReadable(recorded, () => evaluate(checks, "validation", readRecord(recorded), row));
      continue;
    }
    const row = await rowAt(run, recorded.step, recorded.step === steps.at(-1)?.step, findings);
    whereReadable(recorded, () => checkStep(checks, readRecord(recorded), row));
    await setImmediate();
  }
  if (test) whereReadable(test, () => evaluate(checks, "test", readRecord(test), run.test?.row ?? {}));
  checks.samplers.report();
  return steps.length;
}

/** The next row of `metrics.jsonl`, which is that of the step; a kill may leave the last step without. */
async function rowAt(
  { metrics, rowsFrom }: RunFolder,
  step: number,
  isLast: boolean,
  findings: Findings,
): Promise<Json | null> {
  if (step < rowsFrom) return null;
  for (;;) {
    const { value: row } = await metrics.next();
    if (!row && isLast) return null;
    if (row && row.step < step) {
      findings.leaveOut("earlier steps", `${row.step} has a row of metrics.jsonl and no record`);
      continue;
    }
    findings.number("files", { step }, "row of metrics.jsonl", step, row?.step);
    return row?.step === step ? row : null;
  }
}

function evaluate(
  { rules, problems, samplers, run }: Checks,
  split: "validation" | "test",
  record: EvaluationRecord,
  row: Json,
): void {
  const place = { step: record.step, split };
  if (split === "validation")
    problems.heldOut(
      split,
      record.step,
      record.played.map(({ problem }) => problem),
    );
  checkEvaluation(rules, place, record, row);
  samplers.evaluation(place, record);
}

function checkStep({ run, rules, problems, samplers, prices }: Checks, step: StepRecord, row: Json | null): void {
  const { findings } = rules;
  const train = run.trainAt(step.step);
  problems.training(step);
  samplers.step(step);
  const rollouts = checkRollouts(rules, train, step);
  const reports = prices.step(findings, train, step, rollouts);
  const checkpoint = run.checkpoints.find((each) => each.step === step.step);
  if (checkpoint && reports) checkKeptPrices(findings, checkpoint, reports);
  for (const policy of Object.keys(step.policies)) checkPolicy(findings, train, step, rollouts, policy);
  if (row) checkMetrics(findings, train, { step, rollouts, prices: reports }, row);
}
