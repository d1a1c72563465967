import { performance } from "node:perf_hooks";
import { protocolName } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { type Random, sampleStream, LaconicError, randomFromSeed, type Ledger } from "@laconic/core";
import { sumLedgers, tokenCounts, type TokenCounts } from "@laconic/core/ledger";
import { timerOf, withDeadline, type Ask } from "@laconic/rewards";
import { type BenchJob, type BenchSettings, measuredTokens, settingOf } from "./bench-job.ts";
import {
  type BenchParts,
  givenTo,
  gradersOf,
  methodOptions,
  modelsFor,
  standingOf,
  temperatureOf,
  spendingOf,
} from "./bench-parts.ts";
import { gradeOf } from "./grade-of.ts";
import { type CallFile, KeptCalls } from "./kept-calls.ts";
import type { RecordFile } from "./record-file.ts";
import {
  episodeCosts,
  noCosts,
  type EqualTokens,
  type SampleRecord,
  type InformationSetting,
} from "./sample-record.ts";
import { messageOf, SampleTaker, type SampleKind } from "./take-samples.ts";

/** How a bench runs: how much at a time, when it gives up, who hears of it. */
export interface BenchOptions {
  /** Questions at a time. Default 32. */
  readonly concurrency?: number;
  /** Failed samples, and samples that the machine left undecided, after which the run stops; null never does. Default 20. */
  readonly maxErrors?: number | null;
  /** A verdict is given up when it took so long and no other came meanwhile. Default 300. */
  readonly gradeSeconds?: number;
  readonly signal?: AbortSignal;
  readonly onRecord?: (record: SampleRecord) => void;
  /** Keeps what was asked and replied; without it nothing of that is kept. */
  readonly callFile?: CallFile;
  /** What methods learned in an earlier part of the run. */
  readonly learned?: readonly CalibrationRecord[];
  /** Keeps what a method learned, before its first sample. */
  readonly onLearned?: (record: CalibrationRecord) => Promise<void>;
}

/** How a bench ended. */
export interface BenchOutcome {
  readonly done: number;
  readonly errors: number;
  /** Answered, and kept from a verdict by the machine. */
  readonly undecided: number;
  /** Samples of equal tokens that were not taken, because samples of their team have no score yet; absent for none. */
  readonly waiting?: number;
  /** Why it stopped before its end; null when it did not. */
  readonly stopped: string | null;
}

/**
 * Takes samples and keeps each one's record before the next of its place begins. An error of a model or of a grader is a record,
 * not a score, and so is an answer that the machine kept from a verdict: the next run judges it again and asks no model. A spent
 * budget, an abort, a refused request or too many errors stop the run, which goes on where it was.
 */
export async function runBench(
  jobs: readonly BenchJob[],
  settings: BenchSettings,
  parts: BenchParts,
  file: RecordFile,
  {
    concurrency = 32,
    maxErrors = 20,
    gradeSeconds = 300,
    signal,
    onRecord,
    callFile,
    learned = [],
    onLearned,
  }: BenchOptions = {},
): Promise<BenchOutcome> {
  const ask = withDeadline({ seconds: gradeSeconds, timer: timerOf(globalThis) });
  const learnedBy = new Map<string, Promise<unknown>>();
  const learnedOf = (job: BenchJob, stop: AbortSignal): Promise<unknown> => {
    const { method, set, config } = job;
    if (!method.calibrate) return Promise.resolve(undefined);
    const isIts = (each: CalibrationRecord): boolean =>
      each.config === config && each.benchmark === set.benchmark && each.method === method.name;
    const before = learned.find(isIts);
    if (before) return Promise.resolve(before.learned);
    const learning = async (): Promise<unknown> => {
      const record = await calibrateMethod(job, settings, parts, ask, stop);
      await onLearned?.(record);
      return record.learned;
    };
    if (!learnedBy.has(config)) learnedBy.set(config, learning());
    return learnedBy.get(config) as Promise<unknown>;
  };
  const equalTokens = new Map<string, EqualTokens>();
  const tokensOf = ({ config }: BenchJob): EqualTokens | null => equalTokens.get(config) ?? null;
  const kept = new KeptCalls(callFile);
  const kind: SampleKind<BenchJob, SampleRecord> = {
    keyOf: ({ key }) => key,
    take: async (job, attempt, before, stop) =>
      (before && (await judgedAgain(before, job, gradersOf(job.set.benchmark, parts), ask, stop))) ??
      takeSample(
        job,
        settings,
        parts,
        attempt,
        { learned: await learnedOf(job, stop), equalTokens: tokensOf(job), kept },
        ask,
        stop,
      ),
    failed: async (job, attempt, error) => ({
      ...failedSample(job, settings, tokensOf(job), attempt, error),
      requests: await kept.placeOf(job.key),
    }),
  };
  const taker = new SampleTaker(kind, file, { concurrency, maxErrors, signal }, onRecord);
  await taker.take(jobs.filter(({ equalTo }) => equalTo === null));
  // What a team took is known once all its samples are there.
  const bound = jobs.filter(({ equalTo }) => equalTo !== null);
  const measured = measuredTokens(bound, jobs, file.records);
  for (const [config, tokens] of measured) equalTokens.set(config, tokens);
  await taker.take(bound.filter(({ config }) => measured.has(config)));
  const waiting = bound.filter(({ config }) => !measured.has(config)).length;
  const { scored = 0, error: errors = 0, undecided = 0 } = taker.counts;
  return {
    done: scored + errors + undecided,
    errors,
    undecided,
    ...(waiting > 0 && { waiting }),
    stopped: taker.stopped,
  };
}

/**
 * A trained team plays by the numbers of its evaluations. Other methods have streams of their names: no two send the same request, so
 * that a resumed bench replays to each the replies that were paid for it.
 */
function streamOf({ method, place, repeat }: BenchJob, { seed }: BenchSettings): Random {
  const stream = sampleStream(seed, place, repeat);
  return method.models ? stream : stream.split(method.name);
}

async function takeSample(
  job: BenchJob,
  settings: BenchSettings,
  parts: BenchParts,
  attempt: number,
  given: { readonly learned: unknown; readonly equalTokens: EqualTokens | null; readonly kept: KeptCalls },
  ask: Ask,
  signal: AbortSignal,
): Promise<SampleRecord> {
  const { problem, method } = job;
  const { learned, equalTokens, kept } = given;
  const graders = gradersOf(job.set.benchmark, parts);
  const options = methodOptions({ ...job, equalTokens }, settings, parts);
  const topology =
    learned === undefined ? method.create(options) : (method.restore?.(options, learned) ?? method.create(options));
  const started = performance.now();
  const episode = await topology.run(givenTo(job, problem), {
    models: kept.noted(job.key, modelsFor(method, topology, parts)),
    sampling: { temperature: temperatureOf(job, settings) },
    random: streamOf(job, settings),
    clock: () => performance.now(),
    signal,
  });
  const seconds = (performance.now() - started) / 1000;
  const grade = await gradeOf(episode.answer, problem, graders, ask, signal);
  return {
    ...identityOf(job, settings, equalTokens),
    answer: episode.answer,
    ...grade,
    requests: await kept.placeOf(job.key),
    stopReason: episode.stopReason,
    notes: episode.notes ?? [],
    ...episodeCosts(episode.ledger),
    ...spendingOf(episode.ledger, method, parts),
    seconds,
    attempt,
    gold: problem.gold,
  };
}

/** An answer that an earlier run paid for and could not judge, judged; null where there is none. */
async function judgedAgain(
  before: SampleRecord,
  { problem }: BenchJob,
  graders: BenchParts["graders"],
  ask: Ask,
  signal: AbortSignal | undefined,
): Promise<SampleRecord | null> {
  const { status, answer } = before;
  if (status === "scored" || answer === null) return null;
  return { ...before, ...(await gradeOf(answer, problem, graders, ask, signal)) };
}

/** Which sample it is, and how it was played. */
function identityOf(job: BenchJob, settings: BenchSettings, equalTo: EqualTokens | null) {
  const { set, problem, method, protocol, partition, script, exemplars, repeat, config } = job;
  return {
    benchmark: set.benchmark,
    problem: problem.id,
    method: method.name,
    repeat,
    setting: settingOf(job),
    deal: partition && { seed: partition.seed, holders: partition.holders },
    equalTo,
    config,
    protocol: protocol && protocolName(protocol),
    shots: script?.examples ?? exemplars.length,
    ...standingOf(job, settings),
  };
}

function failedSample(
  job: BenchJob,
  settings: BenchSettings,
  equalTo: EqualTokens | null,
  attempt: number,
  error: unknown,
): SampleRecord {
  return {
    ...identityOf(job, settings, equalTo),
    status: "error",
    correct: null,
    answer: null,
    extracted: null,
    rule: null,
    score: null,
    steps: [],
    requests: null,
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

/** What a method learned before it was scored, and what that took: counted apart from its samples. */
export interface CalibrationRecord extends TokenCounts {
  readonly benchmark: string;
  readonly method: string;
  readonly setting: InformationSetting;
  readonly config: string;
  readonly learned: unknown;
  readonly questions: number;
  readonly calls: number;
  /** US dollars; null where no price is known, and in records of before it was kept. */
  readonly usd: number | null;
}

/**
 * Has a method learn on a benchmark's calibration questions.
 * @throws LaconicError `data_invalid` without such questions: a test's own are never used; `scoring_failed` for an answer that
 * gets no verdict twice, which is not taken for a wrong one
 */
async function calibrateMethod(
  job: BenchJob,
  settings: BenchSettings,
  parts: BenchParts,
  ask: Ask,
  signal: AbortSignal | undefined,
): Promise<CalibrationRecord> {
  const { method, set, config } = job;
  const graders = gradersOf(set.benchmark, parts);
  const { seed } = settings;
  const questions = set.calibration;
  if (questions.length === 0)
    throw new LaconicError(
      "data_invalid",
      `${method.name} learns on questions of ${set.benchmark} that are not the test's, and none are here`,
      { benchmark: set.benchmark, method: method.name },
    );
  const random = randomFromSeed(`${seed}/${set.benchmark}/${method.name}/calibration`);
  const ledgers: Ledger[] = [];
  const costs: (number | null)[] = [];
  const learned = await method.calibrate?.(
    methodOptions({ ...job, problem: questions[0] as BenchmarkProblem }, settings, parts),
    {
      questions: questions.length,
      seed,
      utility: async (index, team) => {
        const problem = questions[index] as BenchmarkProblem;
        const episode = await team.run(givenTo(job, problem), {
          models: modelsFor(method, team, parts),
          sampling: { temperature: temperatureOf(job, settings) },
          random: random.split(ledgers.length),
          ...(signal && { signal }),
        });
        ledgers.push(episode.ledger);
        costs.push(spendingOf(episode.ledger, method, parts).usd);
        const grade = (): ReturnType<typeof gradeOf> => gradeOf(episode.answer, problem, graders, ask, signal);
        const first = await grade();
        if (signal?.aborted) throw new LaconicError("aborted", `${method.name}: its calibration was aborted`);
        const { correct, error } = first.status === "scored" ? first : await grade();
        if (correct !== null) return correct ? 1 : 0;
        throw new LaconicError(
          "scoring_failed",
          `${method.name} cannot learn on ${set.benchmark}: the answer to ${problem.id} gets no verdict: ${error}`,
          { benchmark: set.benchmark, method: method.name, problem: problem.id },
        );
      },
    },
  );
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
    usd: costs.includes(null) ? null : costs.reduce<number>((sum, each) => sum + (each ?? 0), 0),
  };
}
