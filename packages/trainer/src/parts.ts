import type { AgentId, Grader, LanguageModel, Problem, Random, Sampler, Topology, TrainableModel } from "@laconic/core";

/** Where problems come from and how answers are graded. */
export interface TrainingTask {
  readonly name: string;
  readonly topology: Topology;
  readonly grader: Grader;
  problems(random: Random, count: number): Problem[];
  readonly heldOut: readonly Problem[];
}

/** What a run is made of, beside its configuration. */
export interface TrainingParts {
  readonly task: TrainingTask;
  readonly model: TrainableModel;
  /** Makes weights speak: the trained policy as a language model. */
  policy(sampler: Sampler): LanguageModel;
  /** Agents that speak with the trained policy and learn; all of them when absent. */
  readonly trainedAgents?: readonly AgentId[];
  /** Models of the agents that are not trained. */
  readonly frozen?: Readonly<Record<AgentId, LanguageModel>>;
}

/** The model of each agent when the trained ones speak with `sampler`. */
export function modelsOf(parts: TrainingParts, sampler: Sampler): Record<AgentId, LanguageModel> {
  const policy = parts.policy(sampler);
  const trained = new Set(parts.trainedAgents ?? parts.task.topology.agents);
  return {
    ...parts.frozen,
    ...Object.fromEntries(
      parts.task.topology.agents.filter((agent) => trained.has(agent)).map((agent) => [agent, policy]),
    ),
  };
}
