import {
  type Baseline,
  type BaselineOptions,
  departures,
  familyOf,
  replyCeiling,
  type RunProgram,
  slotOf,
} from "@laconic/baselines";
import { type BenchmarkProblem, inPublishedForm, posed } from "@laconic/benchmarks";
import { present, type AgentId, type LanguageModel, type Problem, type Topology, type Ledger } from "@laconic/core";
import { type TokenPrice, tokenCost, tokenCounts } from "@laconic/core/ledger";
import { answerForm, answerReading, type GradeRule, type Graders } from "@laconic/grading";
import type { BenchJob, BenchSettings } from "./bench-job.ts";
import { type EqualTokens, type SampleRecord, sumShares, type ModelShare } from "./sample-record.ts";

/** Models, graders and prices of a bench. */
export interface BenchParts {
  readonly model: LanguageModel;
  readonly graders: Graders;
  /** Overrides the rule of `graders`. */
  readonly gradeRules?: Readonly<Record<string, GradeRule>>;
  readonly price: TokenPrice | null;
  /** Models by role, such as `actor`. Default: `model`. */
  readonly roleModels?: Readonly<Record<string, RoleModel>>;
  /** Required to run programs. */
  readonly runProgram?: RunProgram;
}

/** Model of a role. */
export interface RoleModel {
  readonly model: LanguageModel;
  /** US dollars per million tokens, if known. */
  readonly price: TokenPrice | null;
}

export function methodOptions(
  job: Pick<BenchJob, "set" | "problem" | "protocol" | "script" | "exemplars"> & {
    readonly equalTokens?: EqualTokens | null;
  },
  { maxTokens, temperature }: BenchSettings,
  { runProgram }: Pick<BenchParts, "runProgram">,
): BaselineOptions {
  const { set, problem, protocol, script, exemplars, equalTokens } = job;
  const { grading, question, choices } = problem;
  return {
    reader: answerReading(grading),
    answerForm: answerForm(grading),
    family: familyOf(grading.kind),
    benchmark: set.benchmark,
    maxTokens: maxTokens ?? replyCeiling(protocol),
    exemplars,
    shots: exemplars.length,
    ...(choices && { asked: { question, choices } }),
    ...present({ script, temperature, runProgram, tokens: equalTokens?.tokens }),
  };
}

export function gradersOf(
  benchmark: string,
  { graders, gradeRules = {} }: Pick<BenchParts, "graders" | "gradeRules">,
): Graders {
  const rule = Object.hasOwn(gradeRules, benchmark) ? gradeRules[benchmark] : undefined;
  return rule === undefined ? graders : { ...graders, rule };
}

/** Phases of a protocol may override it. */
export function temperatureOf(
  { method, protocol }: Pick<BenchJob, "method" | "protocol">,
  { temperature }: BenchSettings,
): number {
  return temperature ?? protocol?.temperature ?? method.temperature;
}

export function givenTo(
  { partition, script }: Pick<BenchJob, "partition" | "script">,
  whole: BenchmarkProblem,
): Problem {
  const { published: _, ...problem } = script && !partition ? inPublishedForm(whole) : whole;
  return posed(partition?.give(problem) ?? problem);
}

export function modelsFor(
  method: Baseline,
  { agents }: Topology,
  { model, roleModels = {} }: Pick<BenchParts, "model" | "roleModels">,
): Record<AgentId, LanguageModel> {
  return Object.fromEntries(
    agents.map((agent) => [agent, method.models?.[agent] ?? roleModelOf(roleModels, agent)?.model ?? model]),
  );
}

export function roleModelOf<T>(roleModels: Readonly<Record<string, T>>, agent: AgentId): T | undefined {
  const slot = [agent, slotOf(agent)].find((name) => Object.hasOwn(roleModels, name));
  return slot === undefined ? undefined : roleModels[slot];
}

type StandingJob = Pick<BenchJob, "set" | "protocol" | "partition" | "script" | "exemplars">;

/**
 * Comparable row of published tables, or the differences that prevent it. Only the paper's protocol and settings have a
 * row.
 */
export function standingOf(
  { set: { benchmark }, protocol, partition, script, exemplars }: StandingJob,
  { temperature, maxTokens }: Pick<BenchSettings, "temperature" | "maxTokens">,
): Pick<SampleRecord, "published" | "differs"> {
  if (!protocol) return { published: null, differs: [] };
  const differs = [
    ...departures(protocol, {
      temperature,
      maxTokens: maxTokens ?? replyCeiling(protocol),
      shots: script && script.examples > 0 ? null : exemplars.length,
      benchmark,
      script: script?.name ?? null,
    }),
    ...(partition
      ? ["A question's facts are dealt among its agents; the published figures are for whole questions."]
      : []),
  ];
  return { published: differs.length === 0 ? protocol.published : null, differs };
}

/** Sums the cost of calls. A method's own models are free unless priced. */
export function spendingOf(
  { calls }: Ledger,
  method: Pick<Baseline, "models" | "prices">,
  parts: Pick<BenchParts, "model" | "price" | "roleModels">,
): { readonly usd: number | null; readonly byModel: readonly ModelShare[] } {
  const byModel = sumShares(
    calls.map((call) => {
      const { id, price } = voiceOf(call.agent, method, parts);
      const counts = tokenCounts(call);
      return { model: id, calls: 1, ...counts, usd: price === "free" ? 0 : tokenCost(price, counts) };
    }),
  );
  const paid = calls.some(({ agent }) => voiceOf(agent, method, parts).price !== "free");
  const unknown = byModel.some(({ usd }) => usd === null) || (!paid && parts.price === null);
  return { usd: unknown ? null : byModel.reduce((sum, { usd }) => sum + (usd ?? 0), 0), byModel };
}

function voiceOf(
  agent: AgentId,
  { models = {}, prices = {} }: Pick<Baseline, "models" | "prices">,
  { model, price, roleModels = {} }: Pick<BenchParts, "model" | "price" | "roleModels">,
): { readonly id: string; readonly price: TokenPrice | null | "free" } {
  const languageModel = Object.hasOwn(models, agent) ? models[agent] : undefined;
  if (languageModel)
    return { id: languageModel.id, price: Object.hasOwn(prices, agent) ? (prices[agent] ?? null) : "free" };
  const role = roleModelOf(roleModels, agent);
  return role ? { id: role.model.id, price: role.price } : { id: model.id, price };
}
