import type { Engine, LanguageModel, ModelSource } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import type { TrainingParts } from "@laconic/trainer";
import type { AppConfig } from "./app-config.ts";
import { openTask, type AppTask } from "./open-task.ts";
import type { ChosenDevice } from "./devices.ts";

/** An engine with a model on it, and the task it works on. */
export interface OpenedParts {
  readonly engine: Engine;
  readonly task: AppTask;
  readonly parts: TrainingParts;
}

/**
 * Where a run's model comes from: what the configuration names, or one of the run's checkpoints.
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
 * Starts the engine and loads the model; close the engine when done. `onWarning` hears what the engine answers by itself.
 * @param first - what the run began with; agents that do not learn speak with it
 */
export async function openParts(
  config: Pick<AppConfig, "task"> & Partial<Pick<AppConfig, "memory">>,
  device: ChosenDevice,
  source: ModelSource,
  onWarning: (message: string) => void,
  first: ModelSource = source,
): Promise<OpenedParts> {
  const task = openTask(config.task);
  const { source: kernels, workers } = device;
  const engine = await createLocalEngine({ device: kernels, workers, onWarning, ...config.memory });
  try {
    const model = await engine.createModel(source);
    const policy: TrainingParts["policy"] = (sampler) =>
      localPolicy({ id: model.id, sampler, tokenizer: task.tokenizer });
    const { trainedAgents } = task;
    if (!trainedAgents) return { engine, task, parts: { task, model, policy } };
    // A model of its own, so that a resumed run's frozen agents are those of its beginning.
    const actor = greedy(policy(await engine.createModel(first)));
    const frozen = Object.fromEntries(
      task.topology.agents.filter((agent) => !trainedAgents.includes(agent)).map((agent) => [agent, actor]),
    );
    return { engine, task, parts: { task, model, policy, trainedAgents, frozen } };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A model that always says the likeliest: AgentPO's actor is frozen at temperature 0. */
function greedy(model: LanguageModel): LanguageModel {
  return {
    id: model.id,
    complete: (request) => model.complete({ ...request, sampling: { ...request.sampling, temperature: 0 } }),
  };
}
