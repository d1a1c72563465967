import {
  type Baseline,
  type BaselineOptions,
  departures,
  familyOf,
  replyCeiling,
  type RunProgram,
  slotOf,
} from "@laconic/baselines";
import { type BenchmarkProblem, posed } from "@laconic/benchmarks";
import type { AgentId, LanguageModel, Problem, Topology, Ledger } from "@laconic/core";
import { type TokenPrice, tokenCost, tokenCounts } from "@laconic/core/ledger";
import { answerForm, answerReading, type GradeRule, type Graders } from "@laconic/grading";
import type { BenchJob, BenchSettings } from "./bench-job.ts";
import { type EqualTokens, type SampleRecord, sumShares, type ModelShare } from "./sample-record.ts";

/** The model, the graders and the prices of a bench. */
export interface BenchParts {
  readonly model: LanguageModel;
  readonly graders: Graders;
  /** By benchmark, instead of that of `graders`. */
  readonly gradeRules?: Readonly<Record<string, GradeRule>>;
  readonly price: TokenPrice | null;
  /** Models of single roles of all methods, such as `actor`; all others use `model`. */
  readonly roleModels?: Readonly<Record<string, RoleModel>>;
  /** For methods that run programs. */
  readonly runProgram?: RunProgram;
}

/** The model of a role. */
export interface RoleModel {
  readonly model: LanguageModel;
  /** US dollars per million tokens, where known. */
  readonly price: TokenPrice | null;
}

/** Options of a method for a question of a benchmark. */
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
    ...(script && { script }),
    ...(temperature !== null && { temperature }),
    ...(runProgram && { runProgram }),
    ...(equalTokens && { tokens: equalTokens.tokens }),
  };
}

/** Graders of a benchmark. */
export function gradersOf(
  benchmark: string,
  { graders, gradeRules = {} }: Pick<BenchParts, "graders" | "gradeRules">,
): Graders {
  const rule = Object.hasOwn(gradeRules, benchmark) ? gradeRules[benchmark] : undefined;
  return rule === undefined ? graders : { ...graders, rule };
}

/** Of a method's calls, unless a phase of its protocol has its own. */
export function temperatureOf(
  { method, protocol }: Pick<BenchJob, "method" | "protocol">,
  { temperature }: BenchSettings,
): number {
  return temperature ?? protocol?.temperature ?? method.temperature;
}

/** The problem as a method's team gets it: whole, in published words, or dealt among its agents. */
export function givenTo(
  { partition, script }: Pick<BenchJob, "partition" | "script">,
  { published, ...problem }: BenchmarkProblem,
): Problem {
  const whole = script && published !== undefined ? { ...problem, question: published } : problem;
  return posed(partition?.give(problem) ?? whole);
}

/** The model of each agent. */
export function modelsFor(
  method: Baseline,
  { agents }: Topology,
  { model, roleModels = {} }: Pick<BenchParts, "model" | "roleModels">,
): Record<AgentId, LanguageModel> {
  return Object.fromEntries(
    agents.map((agent) => [agent, method.models?.[agent] ?? roleModelOf(roleModels, agent)?.model ?? model]),
  );
}

/** The entry of an agent or its slot. */
export function roleModelOf<T>(roleModels: Readonly<Record<string, T>>, agent: AgentId): T | undefined {
  const slot = [agent, slotOf(agent)].find((name) => Object.hasOwn(roleModels, name));
  return slot === undefined ? undefined : roleModels[slot];
}

type StandingJob = Pick<BenchJob, "set" | "protocol" | "partition" | "script" | "exemplars">;

/**
 * The comparable row of published tables, or the differences that prevent it. Only a faithful pair of method and benchmark has a row: its
 * protocol, and the bench's settings, are the paper's. A team without a protocol, such as a trained one, has none.
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
      ? ["What a question states is dealt among its agents: the published figures are of whole questions."]
      : []),
  ];
  return { published: differs.length === 0 ? protocol.published : null, differs };
}

/** Cost of calls for the caller: in all, and by model. */
interface Spending {
  /** US dollars; null for a call without a known price, and for a bench without any price. */
  readonly usd: number | null;
  readonly byModel: readonly ModelShare[];
}

/** Models of the method cost the caller nothing, unless the method has a price for them. */
export function spendingOf(
  { calls }: Ledger,
  method: Pick<Baseline, "models" | "prices">,
  parts: Pick<BenchParts, "model" | "price" | "roleModels">,
): Spending {
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

/** The model of an agent, and its price. */
function voiceOf(
  agent: AgentId,
  { models = {}, prices = {} }: Pick<Baseline, "models" | "prices">,
  { model, price, roleModels = {} }: Pick<BenchParts, "model" | "price" | "roleModels">,
): { readonly id: string; readonly price: TokenPrice | null | "free" } {
  const own = Object.hasOwn(models, agent) ? models[agent] : undefined;
  if (own) return { id: own.id, price: Object.hasOwn(prices, agent) ? (prices[agent] ?? null) : "free" };
  const role = roleModelOf(roleModels, agent);
  return role ? { id: role.model.id, price: role.price } : { id: model.id, price };
}
