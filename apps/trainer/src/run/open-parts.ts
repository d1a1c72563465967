import { join } from "node:path";
import type { Engine, LanguageModel, ModelSource } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { modelPlace, onlyPolicy, type TrainedPolicy, type TrainingParts } from "@laconic/trainer";
import type { AppConfig } from "./app-config.ts";
import { openTask, type AppTask } from "./open-task.ts";
import type { ChosenDevice } from "./devices.ts";

/** An engine with the models of a run on it, and the task they work on. */
export interface OpenedParts {
  readonly engine: Engine;
  readonly task: AppTask;
  readonly parts: TrainingParts;
}

/** Agents by policy: one that all trained agents share, or one for each of them. */
export function policiesOf(
  { policies = "shared" }: Partial<Pick<AppConfig, "policies">>,
  task: AppTask,
): Readonly<Record<string, readonly string[]>> {
  const agents = task.trainedAgents ?? task.topology.agents;
  return policies === "own" ? Object.fromEntries(agents.map((agent) => [agent, [agent]])) : { [onlyPolicy]: agents };
}

/**
 * Where a policy's model comes from: what the configuration names, or one of the run's checkpoints.
 * @param folder - of the configuration's model, or of its adapter's base
 */
export function modelSource(
  { lora, train }: Pick<AppConfig, "lora" | "train">,
  folder: string,
  checkpoint?: string,
): ModelSource {
  const base = { kind: "folder", path: folder } as const;
  if (checkpoint === undefined) return lora ? { kind: "adapter", base, lora, seed: train.seed } : base;
  return lora ? { kind: "adapter-folder", base, path: checkpoint } : { kind: "folder", path: checkpoint };
}

/**
 * Starts the engine and loads the models; close the engine when done. `onWarning` hears what the engine answers by itself.
 * @param source - of a policy: from the configuration, or with the folder of a checkpoint
 * @param first - what the run began with; agents that do not learn speak with it
 */
export async function openParts(
  config: Pick<AppConfig, "task"> & Partial<Pick<AppConfig, "memory" | "policies">>,
  device: ChosenDevice,
  source: (place: string) => ModelSource,
  onWarning: (message: string) => void,
  first: ModelSource = source(""),
): Promise<OpenedParts> {
  const task = openTask(config.task);
  const { source: kernels, workers } = device;
  const engine = await createLocalEngine({ device: kernels, workers, onWarning, ...config.memory });
  const speak = (id: string): TrainedPolicy["speak"] => {
    return (sampler) => localPolicy({ id, sampler, tokenizer: task.tokenizer });
  };
  try {
    const names = policiesOf(config, task);
    const policies: Record<string, TrainedPolicy> = {};
    for (const [name, agents] of Object.entries(names)) {
      const model = await engine.createModel(source(modelPlace(names, name)));
      policies[name] = { model, speak: speak(model.id), agents };
    }
    const trained = new Set(Object.values(names).flat());
    const others = task.topology.agents.filter((agent) => !trained.has(agent));
    if (others.length === 0) return { engine, task, parts: { task, policies } };
    // A model of its own, so that a resumed run's frozen agents are those of its beginning.
    const model = await engine.createModel(first);
    const actor = greedy(speak(model.id)(model));
    return { engine, task, parts: { task, policies, frozen: Object.fromEntries(others.map((id) => [id, actor])) } };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** `openParts` of a run that goes on, or is looked at: each policy from its place in a checkpoint. */
export function checkpointSource(
  config: Pick<AppConfig, "lora" | "train">,
  folder: string,
  checkpoint: string,
): (place: string) => ModelSource {
  return (place) => modelSource(config, folder, join(checkpoint, place));
}

/** A model that always says the likeliest: AgentPO's actor is frozen at temperature 0. */
function greedy(model: LanguageModel): LanguageModel {
  return {
    id: model.id,
    complete: (request) => model.complete({ ...request, sampling: { ...request.sampling, temperature: 0 } }),
  };
}
