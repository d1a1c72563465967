import {
  LaconicError,
  type AgentId,
  type Grader,
  type LanguageModel,
  type Problem,
  type Random,
  type Sampler,
  type Topology,
  type TrainableModel,
} from "@laconic/core";

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

/** Agents that learn. */
export function trainedAgentsOf({ task, trainedAgents }: TrainingParts): ReadonlySet<AgentId> {
  return new Set(trainedAgents ?? task.topology.agents);
}

/** @throws LaconicError `input_invalid` naming an agent that does not exist, has no model, or has one to no effect. */
export function checkTrainingParts(parts: TrainingParts): void {
  const { agents } = parts.task.topology;
  const trained = trainedAgentsOf(parts);
  const frozen = Object.keys(parts.frozen ?? {});
  const refuse = (agent: AgentId, reason: string): never => {
    throw new LaconicError("input_invalid", `agent "${agent}": ${reason}`, { agent });
  };
  if (trained.size === 0) throw new LaconicError("input_invalid", "trainedAgents is empty: nothing would be learned");
  for (const agent of [...trained, ...frozen])
    if (!agents.includes(agent)) refuse(agent, `the team has no such agent; it has ${agents.join(", ")}`);
  for (const agent of frozen) if (trained.has(agent)) refuse(agent, "is trained, so its frozen model has no effect");
  for (const agent of agents)
    if (!trained.has(agent) && !frozen.includes(agent)) refuse(agent, "is not trained and has no frozen model");
}

/** The model of each agent when the trained ones speak with `sampler`. */
export function modelsOf(parts: TrainingParts, sampler: Sampler): Record<AgentId, LanguageModel> {
  const policy = parts.policy(sampler);
  const trained = trainedAgentsOf(parts);
  return {
    ...parts.frozen,
    ...Object.fromEntries(
      parts.task.topology.agents.filter((agent) => trained.has(agent)).map((agent) => [agent, policy]),
    ),
  };
}
