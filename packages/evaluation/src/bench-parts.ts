import type { Baseline, BaselineOptions } from "@laconic/baselines";
import { answerForm, answerReading, posed, type BenchmarkProblem, type GradingMeans } from "@laconic/benchmarks";
import type { AgentId, LanguageModel, Problem, TokenPrice, Topology } from "@laconic/core";
import type { BenchSet } from "./bench-plan.ts";

/** What a bench runs with: the model, the graders, and what tokens cost. */
export interface BenchParts {
  readonly model: LanguageModel;
  readonly means: GradingMeans;
  /** US dollars per million tokens, where known. */
  readonly price: TokenPrice | null;
}

/** What a method is built with for a question of a benchmark. */
export function methodOptions(
  { grading }: BenchmarkProblem,
  { exemplars }: BenchSet,
  maxTokens: number,
): BaselineOptions {
  return { reader: answerReading(grading), answerForm: answerForm(grading), maxTokens, exemplars };
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
