import type { Baseline, BaselineOptions } from "@laconic/baselines";
import { answerForm, answerReading, type BenchmarkProblem, type GradingMeans } from "@laconic/benchmarks";
import type { AgentId, LanguageModel, TokenPrice, Topology } from "@laconic/core";
import type { BenchSet } from "./bench-plan.ts";

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

/** The question as it is asked: with its options, each behind its letter. */
export function questionText({ question, choices }: BenchmarkProblem): string {
  if (!choices || choices.length === 0) return question;
  const options = choices.map((choice, i) => `${String.fromCharCode(65 + i)}) ${choice}`);
  return `${question}\n${options.join("\n")}`;
}

/** Who speaks with which model: a method's own where it brings one. */
export function modelsFor(
  method: Baseline,
  { agents }: Topology,
  model: LanguageModel,
): Record<AgentId, LanguageModel> {
  return Object.fromEntries(agents.map((agent) => [agent, method.models?.[agent] ?? model]));
}
