import { LaconicError, type AgentId, type LanguageModel, type Sampler, type TrainableModel } from "@laconic/core";
import type { TrainingTask } from "@laconic/topologies";
import type { ExampleStream } from "../supervised/example-stream.ts";
import type { GroupSource } from "./group-source.ts";

/** Weights in training, and who speaks with them. */
export interface TrainedPolicy {
  readonly model: TrainableModel;
  /** Makes weights speak: the policy as a language model. */
  speak(sampler: Sampler): LanguageModel;
  /** Agents that speak with it and learn. */
  readonly agents: readonly AgentId[];
  /** Supervised examples that it learns too, as `supervised` of the settings says. */
  readonly examples?: ExampleStream;
}

/** Who trains on what: the parts of a run that settings do not describe. */
export interface TrainingParts {
  readonly task: TrainingTask;
  /** By name. Agents share a policy, or have one each; each policy has its own weights and optimiser. */
  readonly policies: Readonly<Record<string, TrainedPolicy>>;
  /** Models of the agents that are not trained. */
  readonly frozen?: Readonly<Record<AgentId, LanguageModel>>;
  /** Other runs in the pool of opponents, by the names that `opponents.runs` has: who speaks for each agent of a side. */
  readonly opponents?: Readonly<Record<string, Readonly<Record<AgentId, LanguageModel>>>>;
  /** Frozen models that objectives may compare with, by name. They share the policies' tokenizer. */
  readonly teachers?: Readonly<Record<string, Pick<Sampler, "forward">>>;
  /** Gives the episodes of each step with their rewards; absent where the task's topology plays them. */
  readonly source?: GroupSource;
}

/** One sampler for each policy: the live weights, or a snapshot of them. */
export type Samplers = Readonly<Record<string, Sampler>>;

/** Name of the policy of a run that has one. */
export const onlyPolicy = "policy";

/** Parts with a single policy, that all agents speak with, or those that are named. */
export function onePolicy(
  task: TrainingTask,
  model: TrainableModel,
  speak: TrainedPolicy["speak"],
  agents: readonly AgentId[] = task.topology.agents,
): TrainingParts {
  return { task, policies: { [onlyPolicy]: { model, speak, agents } } };
}

/** What of a policy is checked: who learns. */
export type PolicyOutline = Pick<TrainedPolicy, "agents" | "examples">;

/** What of parts is checked, without any weights. Problems where they are at hand. */
export interface PartsOutline extends Pick<TrainingParts, "source"> {
  readonly task: Pick<TrainingTask, "name" | "topology" | "game" | "reward" | "grader"> &
    Partial<Pick<TrainingTask, "problems" | "pool" | "testProblems">>;
  readonly policies: Readonly<Record<string, PolicyOutline>>;
  readonly frozen?: Readonly<Record<AgentId, unknown>>;
  readonly teachers?: Readonly<Record<string, unknown>>;
  readonly opponents?: Readonly<Record<string, Readonly<Record<AgentId, unknown>>>>;
}

/** @throws LaconicError `input_invalid` naming an agent that does not exist, has no model, or has two. */
export function checkTrainingParts({ task, policies, frozen = {} }: PartsOutline): void {
  const { agents } = task.topology;
  const refuse = (agent: AgentId, reason: string): never => {
    throw new LaconicError("input_invalid", `agent "${agent}": ${reason}`, { agent });
  };
  const trained = new Map<AgentId, string>();
  for (const [name, policy] of Object.entries(policies)) {
    if (!/^[\w-]+$/u.test(name))
      throw new LaconicError("input_invalid", `policy "${name}": a name has letters, digits, - and _`, {
        policy: name,
      });
    if (policy.agents.length === 0)
      throw new LaconicError("input_invalid", `policy "${name}" has no agents: it would learn nothing`, {
        policy: name,
      });
    for (const agent of policy.agents) {
      const other = trained.get(agent);
      if (other !== undefined) refuse(agent, `speaks with the policies ${other} and ${name}`);
      trained.set(agent, name);
    }
  }
  if (trained.size === 0) throw new LaconicError("input_invalid", "there is no policy: nothing would be learned");
  for (const agent of [...trained.keys(), ...Object.keys(frozen)])
    if (!agents.includes(agent)) refuse(agent, `the team has no such agent; it has ${agents.join(", ")}`);
  for (const agent of Object.keys(frozen))
    if (trained.has(agent)) refuse(agent, "is trained, so its frozen model has no effect");
  for (const agent of agents)
    if (!trained.has(agent) && !Object.hasOwn(frozen, agent)) refuse(agent, "is not trained and has no frozen model");
}

/** The weights as they are now. */
export function livePolicies({ policies }: TrainingParts): Samplers {
  return mapPolicies(policies, ({ model }) => model);
}

/** Something for each policy, under its name. */
export function mapPolicies<P, T>(
  policies: Readonly<Record<string, P>>,
  make: (policy: P, name: string) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, make(policy, name)]));
}

/** The model of each agent when each policy speaks with its sampler. */
export function modelsOf({ policies, frozen }: TrainingParts, samplers: Samplers): Record<AgentId, LanguageModel> {
  const models: Record<AgentId, LanguageModel> = { ...frozen };
  for (const [name, { speak, agents }] of Object.entries(policies)) {
    const sampler = samplers[name];
    if (!sampler) throw new LaconicError("input_invalid", `there is no sampler for policy "${name}"`, { policy: name });
    const model = speak(sampler);
    for (const agent of agents) models[agent] = model;
  }
  return models;
}
