import { setImmediate } from "node:timers/promises";
import { checkEvaluation } from "./checks/evaluations.ts";
import type { RecordRules } from "./checks/episodes.ts";
import { checkMetrics } from "./checks/metrics.ts";
import { checkPolicy } from "./checks/policies.ts";
import { ProblemChecks } from "./checks/problems.ts";
import { checkRollouts, PriceChain } from "./checks/rollouts.ts";
import { checkRows } from "./checks/rows.ts";
import { SamplerChecks } from "./checks/samplers.ts";
import { Findings, type Contradiction, type Split, type Stage } from "./findings.ts";
import { checkChecksums } from "./folder/checksums.ts";
import { withRecord, type PlayedRecord, type Recorded, type StepRecord } from "./folder/record.ts";
import { readRunFolder, type RunFolder } from "./folder/run-folder.ts";
import type { Json } from "./rules/closed-set.ts";
import { checkConfig } from "./rules/settings.ts";
import { taskName, worldOf } from "./tasks/worlds.ts";

/** Result of a verification. */
export interface VerifyReport {
  readonly run: string;
  /** `partial`: the covered parts agree; `notCovered` lists the rest. */
  readonly verdict: "agrees" | "partial" | "contradicts";
  readonly steps: number;
  /** First 10,000, in the order of computation. */
  readonly contradictions: readonly Contradiction[];
  readonly contradictionsTotal: number;
  /** Uncovered quantities and reasons. */
  readonly notCovered: readonly { readonly name: string; readonly why: string }[];
  readonly compared: Readonly<Partial<Record<Stage, number>>>;
}

/**
 * Checks a run folder with plain formulas and reports what they do not cover. Read-only.
 * @param allowed - names that need not be covered; the report still lists them
 * @throws LaconicError `run_missing`, `config_invalid` for an invalid run folder, `data_invalid` for a damaged record
 */
export async function verifyRun(directory: string, allowed: readonly string[] = []): Promise<VerifyReport> {
  const run = await readRunFolder(directory);
  const findings = new Findings();
  checkConfig(findings, run.config);
  checkRows(run, findings);
  await checkChecksums(run, findings);
  const steps = await checkRecords(run, findings);
  findings.leaveOut("settings", "settings without a formula, such as model, sampling and device, and the inputs");
  findings.leaveOut("weights", "log-probs, gradients, moments, sampled tokens and other state: only checksums");
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

/** @returns number of steps */
async function checkRecords(run: RunFolder, findings: Findings): Promise<number> {
  const whole = run.records.filter(({ isComplete }) => isComplete);
  const steps = whole.filter(({ kind }) => kind === "step");
  const checks = new RecordChecks(run, steps[0], findings);
  const { record: test = null, row: figures = {} } = run.test ?? {};
  // First, so that test problems in other splits are detected.
  if (test) withRecord(test, (record) => checks.problems.evaluated("test", record));
  for (const recorded of whole) {
    const { step, kind } = recorded;
    const isLast = recorded === steps.at(-1);
    const row =
      kind === "step"
        ? await rowAt(run, step, isLast, findings)
        : run.evaluations.find((evaluation) => evaluation.step === step);
    withRecord(recorded, (record) => {
      if (kind === "step") checks.step(record, row ?? null);
      else checks.evaluation("validation", record, row ?? {});
    });
    await setImmediate();
  }
  if (test) withRecord(test, (record) => checks.evaluation("test", record, figures));
  const { value: surplus } = await run.metrics.next();
  if (steps.length > 0)
    findings.at("files", {}).same("row of metrics.jsonl without a record", undefined, surplus?.step);
  checks.samplers.report();
  return steps.length;
}

/** The step's row of `metrics.jsonl`; a killed run may lack the last one. */
async function rowAt(run: RunFolder, step: number, isLast: boolean, findings: Findings): Promise<Json | null> {
  let { value: row } = await run.metrics.next();
  while (row && row.step < step) ({ value: row } = await run.metrics.next());
  if (!row && isLast) return null;
  findings.at("files", { step }).number("row of metrics.jsonl", step, row?.step);
  return row?.step === step ? row : null;
}

class RecordChecks {
  readonly problems: ProblemChecks;
  readonly samplers: SamplerChecks;
  readonly #run: RunFolder;
  readonly #rules: RecordRules;
  readonly #prices = new PriceChain();

  constructor(run: RunFolder, first: Recorded | undefined, findings: Findings) {
    const [task, world] = [taskName(run.config["task"]), worldOf(run.config["task"])];
    const hasOwnReward = run.trainAt(0).reward !== undefined;
    this.#run = run;
    this.#rules = { findings, task, world, hasOwnReward, traced: new Set(), texts: new Map() };
    this.problems = new ProblemChecks(run, task, world, findings);
    this.samplers = new SamplerChecks(first && withRecord(first, (record) => record), findings);
  }

  evaluation(split: Split, record: PlayedRecord, row: Json): void {
    const location = { step: record.step, split };
    this.#rules.findings.at("evaluation", location).same("log-probs and episodes too many", [0, 0], record.surplus);
    if (split === "validation") this.problems.evaluated(split, record);
    checkEvaluation(this.#rules, location, record, row);
    this.samplers.evaluation(location, record);
  }

  step(record: StepRecord, row: Json | null): void {
    const { findings } = this.#rules;
    const { step } = record;
    const train = this.#run.trainAt(step);
    findings.at("batch", { step }).same("log-probs and episodes too many", [0, 0], record.surplus);
    this.problems.training(record);
    this.samplers.step(record, row);
    const rollouts = checkRollouts(this.#rules, train, record);
    const checkpoint = this.#run.checkpoints.find((item) => item.step === step);
    this.#prices.step(findings, train, record, rollouts, checkpoint?.state["budgets"]);
    for (const policy of Object.keys(record.policies)) checkPolicy(findings, train, record, rollouts, policy);
    if (row) checkMetrics(findings, train, record, row);
  }
}
