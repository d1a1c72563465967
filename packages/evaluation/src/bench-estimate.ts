import { familyOf, protocolName, replyCeiling, type Exemplar } from "@laconic/baselines";
import { grouped } from "@laconic/core/numeric";
import { answerForm } from "@laconic/grading";
import { standingOf } from "./bench-parts.ts";
import type { BenchJob, BenchSettings } from "./bench-job.ts";
import type { SampleRecord } from "./sample-record.ts";

/** Upper bounds of a bench. */
export interface BenchEstimate {
  readonly questions: number;
  readonly samples: number;
  /** Includes calibration. */
  readonly calls: number;
  readonly calibrationCalls: number;
  /** A token per byte; max replies, quoted wherever possible. */
  readonly promptTokens: number;
  /** Four bytes per token, as in English. */
  readonly likelyPromptTokens: number;
  readonly completionTokens: number;
}

type Work = Pick<BenchEstimate, "calls" | "promptTokens" | "likelyPromptTokens" | "completionTokens">;

/**
 * Upper bound of calls and tokens, with calibration and quotes, without failed attempts. Assumes at most one line per
 * reply token and at least one byte per token.
 */
export function estimate(
  jobs: readonly BenchJob[],
  { maxTokens }: Pick<BenchSettings, "maxTokens">,
  maxOf: ReadonlyMap<string, number> = mostTokens(jobs, maxTokens),
): BenchEstimate {
  const samples = sum(
    jobs.map((job) => workOn(job, maxTokens, job.equalTo ? (maxOf.get(job.equalTo.config) ?? 0) : undefined)),
  );
  // A method calibrates once per benchmark.
  const learners = new Map(jobs.filter(({ method }) => method.calibrate).map((job) => [job.config, job]));
  const plays = [...learners.values()].flatMap((job) =>
    Array.from({ length: job.method.calibrationPlays ?? 1 }, () =>
      job.set.calibration.map((problem) => workOn({ ...job, problem }, maxTokens)),
    ).flat(),
  );
  const calibration = sum(plays);
  return {
    questions: new Set(jobs.map(({ set, problem }) => `${set.benchmark}/${problem.id}`)).size,
    samples: jobs.length,
    ...sum([samples, calibration]),
    calibrationCalls: calibration.calls,
  };
}

/** Upper bounds of a method on a benchmark. */
export interface CellEstimate
  extends BenchEstimate, Pick<SampleRecord, "benchmark" | "method" | "published" | "protocol" | "differs"> {}

/** {@link estimate} per method and benchmark, in the order of the jobs. */
export function estimateCells(
  jobs: readonly BenchJob[],
  settings: Pick<BenchSettings, "maxTokens" | "temperature">,
): CellEstimate[] {
  const maxOf = mostTokens(jobs, settings.maxTokens);
  return grouped(jobs, ({ set, method }) => [set.benchmark, method.name]).map((cell) => {
    const [first] = cell;
    return {
      benchmark: first.set.benchmark,
      method: first.method.name,
      protocol: first.protocol && protocolName(first.protocol),
      ...standingOf(first, settings),
      ...estimate(cell, settings, maxOf),
    };
  });
}

function mostTokens(jobs: readonly BenchJob[], maxTokens: number | null): Map<string, number> {
  const most = new Map<string, number>();
  const teams = new Set(jobs.flatMap(({ equalTo }) => equalTo?.config ?? []));
  for (const job of jobs) {
    if (!teams.has(job.config)) continue;
    const { promptTokens, completionTokens } = workOn(job, maxTokens);
    most.set(job.config, Math.max(most.get(job.config) ?? 0, promptTokens + completionTokens));
  }
  return most;
}

/** Tokens of a call's instructions and template, and around a quote. */
const [callTokens, copyTokens] = [512, 64] as const;

/** @param budget - token limit of equal tokens */
function workOn(
  { method, problem, protocol, set: { benchmark }, script, exemplars }: BenchJob,
  maxTokens: number | null,
  budget?: number,
): Work {
  const { question, choices = [], grading } = problem;
  const size = { family: familyOf(grading.kind), benchmark };
  const calls = method.maxCalls(size);
  const copies = method.maxCopies?.(size) ?? { questions: calls, examples: calls, replies: (calls * (calls - 1)) / 2 };
  const reply = Math.max(method.replyTokens ?? maxTokens ?? replyCeiling(protocol), budget ?? 0);
  const bytes =
    calls * (callTokens + Buffer.byteLength(answerForm(grading))) +
    copies.questions *
      (copyTokens + Buffer.byteLength([question, ...choices.map((choice) => `A) ${choice}`)].join("\n"))) +
    (copies.toolBytes ?? 0) +
    // A request contains each text at most once.
    (script ? copies.questions * bytesOf(Object.values(script.texts)) : 0) +
    (script && script.examples > 0 ? 0 : copies.examples * examplesBytes(exemplars));
  // Quoted lines have a mark of two tokens.
  const prompts = bytes + copies.replies * (copyTokens + 3 * reply);
  // The last call starts within the budget and may exceed it.
  const within = (tokens: number, lastCall: number) => (budget === undefined ? tokens : budget + Math.ceil(lastCall));
  const likely = bytes / 4 + copies.replies * reply;
  return {
    calls,
    promptTokens: within(prompts, prompts / calls),
    likelyPromptTokens: within(Math.ceil(likely), likely / calls),
    completionTokens: within(calls * reply, reply),
  };
}

/** Includes hints: at most two answers, each in question and reply. */
function examplesBytes(exemplars: readonly Exemplar[]): number {
  const longest = Math.max(0, ...exemplars.map(({ answer }) => Buffer.byteLength(answer)));
  const texts = exemplars.flatMap(({ question, solution, answerLine }) => [question, solution, answerLine]);
  return bytesOf(texts) + exemplars.length * (2 * copyTokens + 4 * longest);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Buffer.byteLength(text), 0);
}

function sum(works: readonly Work[]): Work {
  const total = (of: keyof Work) => works.reduce((before, work) => before + work[of], 0);
  return {
    calls: total("calls"),
    promptTokens: total("promptTokens"),
    likelyPromptTokens: total("likelyPromptTokens"),
    completionTokens: total("completionTokens"),
  };
}
