import { performance } from "node:perf_hooks";
import { protocolName } from "@laconic/baselines";
import { gradeProblem, type BenchmarkProblem } from "@laconic/benchmarks";
import {
  sampleStream,
  LaconicError,
  randomFromSeed,
  type Ledger,
  type LaconicErrorCode,
  dataError,
} from "@laconic/core";
import { sumLedgers, tokenCounts, type TokenCounts } from "@laconic/core/ledger";
import { gradingStepLimits, type GradingStep } from "@laconic/core/run-folder";
import type { Verdict } from "@laconic/grading";
import { timerOf, withDeadline, type Ask } from "@laconic/rewards";
import { type BenchJob, type BenchSettings, measuredTokens, settingOf } from "./bench-job.ts";
import { givenTo, gradersOf, methodOptions, modelsFor, spendingOf, standingOf, temperatureOf } from "./bench-parts.ts";
import type { BenchParts } from "./bench-parts.ts";
import { type CallFile, KeptCalls } from "./kept-calls.ts";
import type { RecordFile } from "./record-file.ts";
import { episodeCosts, noCosts, type EqualTokens, type SampleRecord } from "./sample-record.ts";
import { messageOf, SampleTaker } from "./take-samples.ts";

/** Limits and listeners of a bench. */
export interface BenchOptions {
  /** Max concurrent questions. Default 32. */
  readonly concurrency?: number;
  /** Max failed or undecided samples; null has no limit. Default 20. */
  readonly maxErrors?: number | null;
  /** Timeout in seconds of a verdict while no other arrives. Default 300. */
  readonly gradeSeconds?: number;
  readonly signal?: AbortSignal;
  readonly onRecord?: (record: SampleRecord) => void;
  readonly callFile?: CallFile;
  /** Calibrations of earlier runs. */
  readonly learned?: readonly CalibrationRecord[];
  /** Stores a calibration before the first sample. */
  readonly onLearned?: (record: CalibrationRecord) => Promise<void>;
}

/** Result of a bench run. */
export interface BenchOutcome {
  readonly done: number;
  readonly errors: number;
  /** Answers without a verdict. */
  readonly undecided: number;
  /** Skipped samples whose team has unscored ones. */
  readonly waiting?: number;
  /** Reason of an early stop, or null. */
  readonly stopped: string | null;
}

/**
 * Takes samples and stores each record before the worker's next sample. Model and grader errors are records without a
 * score. Undecided answers are graded again by the next run, without a request. A spent budget, an abort, a refused
 * request or too many errors stop the run, which can be resumed.
 */
export async function runBench(
  jobs: readonly BenchJob[],
  settings: BenchSettings,
  parts: BenchParts,
  file: RecordFile,
  options: BenchOptions = {},
): Promise<BenchOutcome> {
  const { concurrency = 32, maxErrors = 20, signal, onRecord } = options;
  const bench = new Bench(settings, parts, options);
  const taker = new SampleTaker(bench, file, { concurrency, maxErrors, signal }, onRecord);
  await taker.take(jobs.filter(({ equalTo }) => equalTo === null));
  // A team's tokens are known once all its samples are scored.
  const bound = jobs.filter(({ equalTo }) => equalTo !== null);
  bench.equalTokens = measuredTokens(bound, jobs, file.records);
  const [ready, waiting] = [true, false].map((has) =>
    bound.filter(({ config }) => bench.equalTokens.has(config) === has),
  ) as [BenchJob[], BenchJob[]];
  await taker.take(ready);
  const { scored = 0, error: errors = 0, undecided = 0 } = taker.counts;
  return {
    done: scored + errors + undecided,
    errors,
    undecided,
    ...(waiting.length > 0 && { waiting: waiting.length }),
    stopped: taker.stopped,
  };
}

class Bench {
  /** Keys are configs of single agents. */
  equalTokens: ReadonlyMap<string, EqualTokens> = new Map();
  readonly #settings: BenchSettings;
  readonly #parts: BenchParts;
  readonly #options: BenchOptions;
  readonly #ask: Ask;
  readonly #calls: KeptCalls;
  readonly #learned = new Map<string, Promise<unknown>>();

  constructor(settings: BenchSettings, parts: BenchParts, options: BenchOptions) {
    this.#settings = settings;
    this.#parts = parts;
    this.#options = options;
    this.#ask = withDeadline({ seconds: options.gradeSeconds ?? 300, timer: timerOf(globalThis) });
    this.#calls = new KeptCalls(options.callFile);
  }

  keyOf({ key }: BenchJob): string {
    return key;
  }

  /** Grades a stored answer without a verdict, or takes the sample. */
  async take(
    job: BenchJob,
    attempt: number,
    before: SampleRecord | undefined,
    signal: AbortSignal,
  ): Promise<SampleRecord> {
    if (before && before.status !== "scored" && before.answer !== null)
      return { ...before, ...(await this.#grade(before.answer, job, job.problem, signal)) };
    const { problem, method, index, repeat } = job;
    const learned = await this.#learnedOf(job, signal);
    const equalTokens = this.equalTokens.get(job.config) ?? null;
    const options = methodOptions({ ...job, equalTokens }, this.#settings, this.#parts);
    const topology =
      learned === undefined ? method.create(options) : (method.restore?.(options, learned) ?? method.create(options));
    // Trained teams use their evaluations' random numbers. Other methods have streams by name: distinct requests
    // let a resumed bench replay the replies that were already paid.
    const stream = sampleStream(this.#settings.seed, index, repeat);
    const started = performance.now();
    const episode = await topology.run(givenTo(job, problem), {
      models: this.#calls.noted(job.key, modelsFor(method, topology, this.#parts)),
      sampling: { temperature: temperatureOf(job, this.#settings) },
      random: method.models ? stream : stream.split(method.name),
      isEvaluation: true,
      clock: () => performance.now(),
      signal,
    });
    const seconds = (performance.now() - started) / 1000;
    const grade = await this.#grade(episode.answer, job, problem, signal);
    return {
      ...this.#identityOf(job),
      answer: episode.answer,
      ...grade,
      requests: await this.#calls.placeOf(job.key),
      stopReason: episode.stopReason,
      notes: episode.notes ?? [],
      ...episodeCosts(episode.ledger),
      ...spendingOf(episode.ledger, method, this.#parts),
      seconds,
      attempt,
      gold: problem.gold,
    };
  }

  async failed(job: BenchJob, attempt: number, error: unknown): Promise<SampleRecord> {
    return {
      ...this.#identityOf(job),
      status: "error",
      answer: null,
      ...noVerdict,
      requests: await this.#calls.placeOf(job.key),
      stopReason: null,
      notes: [],
      ...noCosts,
      usd: null,
      byModel: [],
      seconds: 0,
      attempt,
      error: messageOf(error),
      gold: job.problem.gold,
    };
  }

  #identityOf(job: BenchJob) {
    const { set, problem, method, protocol, partition, script, exemplars, repeat, config } = job;
    return {
      benchmark: set.benchmark,
      problem: problem.id,
      method: method.name,
      repeat,
      setting: settingOf(job),
      deal: partition && { seed: partition.seed, holders: partition.holders },
      equalTo: this.equalTokens.get(config) ?? null,
      config,
      protocol: protocol && protocolName(protocol),
      shots: script?.examples ?? exemplars.length,
      ...standingOf(job, this.#settings),
    };
  }

  #learnedOf(job: BenchJob, signal: AbortSignal): Promise<unknown> {
    const { method, set, config } = job;
    if (!method.calibrate) return Promise.resolve(undefined);
    const { learned = [], onLearned } = this.#options;
    const before = learned.find(
      (record) => record.config === config && record.benchmark === set.benchmark && record.method === method.name,
    );
    if (before) return Promise.resolve(before.learned);
    const learning = async (): Promise<unknown> => {
      const record = await this.#calibrate(job, signal);
      await onLearned?.(record);
      return record.learned;
    };
    if (!this.#learned.has(config)) this.#learned.set(config, learning());
    return this.#learned.get(config)!;
  }

  /**
   * Calibrates a method.
   * @throws LaconicError `data_invalid` without calibration questions, since test questions are never used;
   * `scoring_failed` for an answer without a verdict in two attempts
   */
  async #calibrate(job: BenchJob, signal: AbortSignal): Promise<CalibrationRecord> {
    const { method, set, config } = job;
    const { seed } = this.#settings;
    const questions = set.calibration;
    const [first] = questions;
    const detail = { benchmark: set.benchmark, method: method.name };
    if (!first) {
      const reason = `${method.name} needs questions of ${set.benchmark} outside the test, and none were found`;
      throw dataError(reason, detail);
    }
    const random = randomFromSeed(`${seed}/${set.benchmark}/${method.name}/calibration`);
    const ledgers: Ledger[] = [];
    const costs: (number | null)[] = [];
    const options = methodOptions({ ...job, problem: first }, this.#settings, this.#parts);
    const learned = await method.calibrate?.(options, {
      questions: questions.length,
      seed,
      utility: async (index, team) => {
        const problem = questions[index]!;
        const episode = await team.run(givenTo(job, problem), {
          models: modelsFor(method, team, this.#parts),
          sampling: { temperature: temperatureOf(job, this.#settings) },
          random: random.split(ledgers.length),
          signal,
        });
        ledgers.push(episode.ledger);
        costs.push(spendingOf(episode.ledger, method, this.#parts).usd);
        const once = await this.#grade(episode.answer, job, problem, signal);
        if (signal.aborted) throw new LaconicError("aborted", `${method.name}: its calibration was aborted`);
        const { correct, error } =
          once.status === "scored" ? once : await this.#grade(episode.answer, job, problem, signal);
        if (correct !== null) return correct ? 1 : 0;
        const reason = `${method.name} cannot learn on ${set.benchmark}: the answer to ${problem.id} has no verdict: ${error}`;
        throw new LaconicError("scoring_failed", reason, { ...detail, problem: problem.id });
      },
    });
    const totals = sumLedgers(ledgers);
    return {
      benchmark: set.benchmark,
      method: method.name,
      setting: settingOf(job),
      config,
      learned,
      questions: questions.length,
      calls: totals.calls,
      ...tokenCounts(totals),
      usd: costs.includes(null) ? null : costs.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
    };
  }

  async #grade(
    answer: string | null,
    { set }: BenchJob,
    problem: BenchmarkProblem,
    signal: AbortSignal,
  ): Promise<Graded> {
    const { grading } = problem;
    const isPartial = grading.kind === "text" && grading.words === true;
    if (answer === null)
      return { status: "scored", ...noVerdict, correct: false, score: isPartial ? 0 : null, error: null };
    const graders = gradersOf(set.benchmark, this.#parts);
    const outcome = await this.#ask<Verdict | null>((late) =>
      gradeProblem(answer, problem, graders, AbortSignal.any([late, signal])),
    );
    if (outcome.status === "error") {
      if (LaconicError.is(outcome.cause) && endsGrading.has(outcome.cause.code)) throw outcome.cause;
      return { ...noVerdict, status: "error", error: `not judged: ${outcome.reason}`.slice(0, 500) };
    }
    const verdict: Partial<Verdict> = outcome.value ?? {};
    const { correct = false, score = null, extracted = null, rule = null } = verdict;
    const { decided = true, limited = false, steps = [] } = verdict;
    const way = { extracted, rule, steps: bounded(steps) };
    if (decided) return { status: "scored", correct, score, ...way, error: null };
    // Retries would reach this limit again, so it is no failure.
    return { status: "undecided", correct: null, score: null, ...way, error: limited ? null : (rule ?? "undecided") };
  }
}

type Graded = Pick<SampleRecord, "status" | "correct" | "score" | "extracted" | "rule" | "steps" | "error">;

const noVerdict = { correct: null, score: null, extracted: null, rule: null, steps: [] };

/** Errors that affect every answer. */
const endsGrading: ReadonlySet<LaconicErrorCode> = new Set(["aborted", "config_invalid"]);

function bounded(steps: readonly GradingStep[]): GradingStep[] {
  const { characters, steps: most } = gradingStepLimits;
  const cut = (text: string) => (text.length <= characters ? text : `${text.slice(0, characters)}…`);
  return steps.slice(0, most).map(({ name, answer, gold, ended }) => ({
    name: cut(name),
    answer: cut(answer),
    gold: gold === null ? null : cut(gold),
    ...(ended !== undefined && { ended: cut(ended) }),
  }));
}

/** Result and cost of a calibration, which samples exclude. */
export interface CalibrationRecord
  extends TokenCounts, Pick<SampleRecord, "benchmark" | "method" | "setting" | "config" | "calls" | "usd"> {
  readonly learned: unknown;
  readonly questions: number;
}
