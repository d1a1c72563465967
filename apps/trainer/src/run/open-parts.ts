import { relayTask, type RelayTask } from "@laconic/benchmarks";
import type { Engine, ModelSource } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import type { TrainingParts } from "@laconic/trainer";
import type { AppConfig } from "./app-config.ts";
import type { ChosenDevice } from "./devices.ts";

/** An engine with a model on it, and the task it works on. */
export interface OpenedParts {
  readonly engine: Engine;
  readonly task: RelayTask;
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

/** Starts the engine and loads the model; close the engine when done. `onWarning` hears what the engine answers by itself. */
export async function openParts(
  config: Pick<AppConfig, "task"> & Partial<Pick<AppConfig, "memory">>,
  device: ChosenDevice,
  source: ModelSource,
  onWarning: (message: string) => void,
): Promise<OpenedParts> {
  const task = relayTask({ level: config.task.level, heldOut: 1000 });
  const { source: kernels, workers } = device;
  const engine = await createLocalEngine({ device: kernels, workers, onWarning, ...config.memory });
  try {
    const model = await engine.createModel(source);
    const policy: TrainingParts["policy"] = (sampler) =>
      localPolicy({ id: model.id, sampler, tokenizer: task.tokenizer });
    return { engine, task, parts: { task, model, policy } };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
