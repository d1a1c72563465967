import { familyOf, type Baseline, type BaselineOptions, type RunProgram } from "@laconic/baselines";
import { answerForm, answerReading, posed, type BenchmarkProblem, type GradingMeans } from "@laconic/benchmarks";
import type { AgentId, LanguageModel, Problem, TokenPrice, Topology } from "@laconic/core";
import type { BenchJob, BenchSettings } from "./bench-plan.ts";

/** What a bench runs with: the model, the graders, and what tokens cost. */
export interface BenchParts {
  readonly model: LanguageModel;
  readonly means: GradingMeans;
  /** US dollars per million tokens, where known. */
  readonly price: TokenPrice | null;
  /** For methods that run programs; without it they do without. */
  readonly runProgram?: RunProgram;
}

/** What a method is built with for a question of a benchmark. */
export function methodOptions(
  { set: { benchmark }, problem: { grading }, exemplars }: Pick<BenchJob, "set" | "problem" | "exemplars">,
  { maxTokens, temperature }: BenchSettings,
  { runProgram }: Pick<BenchParts, "runProgram">,
): BaselineOptions {
  return {
    reader: answerReading(grading),
    answerForm: answerForm(grading),
    family: familyOf(grading.kind),
    benchmark,
    maxTokens,
    exemplars,
    shots: exemplars.length,
    ...(temperature !== null && { temperature }),
    ...(runProgram && { runProgram }),
  };
}

/** Of a method's calls, unless a phase of its protocol has its own. */
export function temperatureOf(
  { method, protocol }: Pick<BenchJob, "method" | "protocol">,
  { temperature }: BenchSettings,
): number {
  return temperature ?? protocol?.temperature ?? method.temperature;
}

/** The problem as a method's team is given it: whole, or dealt among its agents. `undealt` says of how many that fails. */
export function givenTo(method: Baseline, problem: BenchmarkProblem): Problem {
  return posed(method.deal?.(problem) ?? problem);
}

/** Who speaks with which model: a method's own where it brings one. */
export function modelsFor(
  method: Baseline,
  { agents }: Topology,
  model: LanguageModel,
): Record<AgentId, LanguageModel> {
  return Object.fromEntries(agents.map((agent) => [agent, method.models?.[agent] ?? model]));
}
