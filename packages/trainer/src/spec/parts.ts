import { inputError, mapValues } from "@laconic/core";
import type {
  AgentId,
  Episode,
  LanguageModel,
  Problem,
  RewardResult,
  Sampler,
  TrainableModel,
  UnknownRecord,
} from "@laconic/core";
import type { TrainingTask } from "@laconic/topologies";
import type { ExampleStream } from "../supervised/example-stream.ts";

/** Weights in training, and their agents. */
export interface TrainedPolicy {
  readonly model: TrainableModel;
  /** Wraps a sampler as a language model. */
  speak(sampler: Sampler): LanguageModel;
  /** Agents that use the policy and learn. */
  readonly agents: readonly AgentId[];
  /** Policies on different devices learn at the same time. Default: all on one. */
  readonly device?: string;
  readonly examples?: ExampleStream;
}

/** Externally played episodes of a problem, with rewards. */
export interface RewardedGroup {
  readonly problem: Problem;
  readonly episodes: readonly { readonly episode: Episode; readonly reward: RewardResult }[];
  /** Age in steps of the weights of the oldest reply. Default: that of its step. */
  readonly lag?: number;
}

export interface RewardedStep {
  readonly groups: readonly RewardedGroup[];
  /** Age in steps of the weights of the oldest reply; 0 for replies of the supplied models. */
  readonly lag: number;
}

export interface GroupRequest {
  /** Steps done. */
  readonly step: number;
  /** Models by agent. Weights stay fixed until the groups are returned. */
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly signal?: AbortSignal;
}

/** Supplies externally played episodes. Every utterance of a trained agent has its token trace. */
export interface GroupSource {
  /** Returns null at the end: the run stops early and can resume. */
  take(request: GroupRequest): Promise<RewardedStep | null>;
}

/** Parts of a run that settings do not describe. */
export interface TrainingParts {
  readonly task: TrainingTask;
  /** Policies by name. Agents can share a policy. */
  readonly policies: Readonly<Record<string, TrainedPolicy>>;
  /** Models of untrained agents. */
  readonly frozen?: Readonly<Record<AgentId, LanguageModel>>;
  /** Models by name in `opponents.runs` and by agent. */
  readonly opponents?: Readonly<Record<string, Readonly<Record<AgentId, LanguageModel>>>>;
  /** Frozen models for objectives. They share the policies' tokenizer. */
  readonly teachers?: Readonly<Record<string, Pick<Sampler, "forward">>>;
  /** Supplies played episodes. Default: the task's topology plays them. */
  readonly source?: GroupSource;
}

/** Live weights or a snapshot of each policy. */
export type Samplers = Readonly<Record<string, Sampler>>;

/** Name of a single policy. */
export const onlyPolicy = "policy";

/** A single policy for all or the named agents. */
export function onePolicy(
  task: TrainingTask,
  model: TrainableModel,
  speak: TrainedPolicy["speak"],
  agents: readonly AgentId[] = task.topology.agents,
): TrainingParts {
  return { task, policies: { [onlyPolicy]: { model, speak, agents } } };
}

export type PolicyOutline = Pick<TrainedPolicy, "agents" | "examples">;

/** Parts that checks need, without weights; problems are optional. */
export interface PartsOutline extends Pick<TrainingParts, "source"> {
  readonly task: Pick<TrainingTask, "name" | "topology" | "game" | "reward" | "grader"> &
    Partial<Pick<TrainingTask, "problems" | "pool" | "testProblems">>;
  readonly policies: Readonly<Record<string, PolicyOutline>>;
  readonly frozen?: Readonly<Record<AgentId, unknown>>;
  readonly teachers?: UnknownRecord;
  readonly opponents?: Readonly<Record<string, Readonly<Record<AgentId, unknown>>>>;
}

/** @throws LaconicError `input_invalid` for an agent that is unknown, or without exactly one model */
export function checkTrainingParts({ task, policies, frozen = {} }: PartsOutline): void {
  const { agents } = task.topology;
  const refuse = (agent: AgentId, reason: string): never => {
    throw inputError(`agent "${agent}": ${reason}`, { agent });
  };
  const trained = new Map<AgentId, string>();
  for (const [name, policy] of Object.entries(policies)) {
    if (!/^[\w-]+$/u.test(name))
      throw inputError(`policy "${name}": a name has letters, digits, - and _`, { policy: name });
    if (policy.agents.length === 0) throw inputError(`policy "${name}" has no agents`, { policy: name });
    for (const agent of policy.agents) {
      const other = trained.get(agent);
      if (other !== undefined) refuse(agent, `speaks with the policies ${other} and ${name}`);
      trained.set(agent, name);
    }
  }
  if (trained.size === 0) throw inputError("no policy to train");
  for (const agent of [...trained.keys(), ...Object.keys(frozen)])
    if (!agents.includes(agent)) refuse(agent, `the team has no such agent; it has ${agents.join(", ")}`);
  for (const agent of Object.keys(frozen))
    if (trained.has(agent)) refuse(agent, "is trained, so its frozen model has no effect");
  for (const agent of agents)
    if (!trained.has(agent) && !Object.hasOwn(frozen, agent)) refuse(agent, "is not trained and has no frozen model");
}

/** Live weights of all policies. */
export function livePolicies({ policies }: TrainingParts): Samplers {
  return mapValues(policies, ({ model }) => model);
}

/** Models by agent, for a sampler per policy. */
export function modelsOf({ policies, frozen }: TrainingParts, samplers: Samplers): Record<AgentId, LanguageModel> {
  const models: Record<AgentId, LanguageModel> = { ...frozen };
  for (const [name, { speak, agents }] of Object.entries(policies)) {
    const sampler = samplers[name];
    if (!sampler) throw inputError(`no sampler for policy "${name}"`, { policy: name });
    const model = speak(sampler);
    for (const agent of agents) models[agent] = model;
  }
  return models;
}
