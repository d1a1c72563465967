import { join } from "node:path";
import { LaconicError, type Engine, type LanguageModel, type ModelSource } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { modelPlace, onlyPolicy, type TrainedPolicy, type TrainingParts } from "@laconic/trainer";
import type { AppConfig } from "./app-config.ts";
import type { AppTask } from "../tasks/app-task.ts";
import { openTask } from "./open-task.ts";
import type { ChosenDevice } from "./devices.ts";

/** An engine with the models of a run on it, and the task they work on. */
export interface OpenedParts {
  readonly engine: Engine;
  readonly task: AppTask;
  readonly parts: TrainingParts;
  /** Closes engine and task. */
  close(): Promise<void>;
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
 * Starts the engine and loads the models; close what is returned when done.
 * @param source - of a policy: from the configuration, or with the folder of a checkpoint
 * @param first - what the run began with; agents that do not learn speak with it
 */
export async function openParts(
  config: Pick<AppConfig, "task"> & Partial<Pick<AppConfig, "memory" | "policies" | "actor">>,
  device: ChosenDevice,
  source: (place: string) => ModelSource,
  means: OpeningMeans,
  first: ModelSource = source(""),
): Promise<OpenedParts> {
  const { onWarning, modelFolder = null, openModel, note = () => undefined, heldOut = 1000 } = means;
  const task = await openTask(config.task, { modelFolder, note, heldOut });
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
    const actor = others.length === 0 ? null : await actorOf(config.actor ?? null);
    const frozen = actor && Object.fromEntries(others.map((id) => [id, greedy(actor)]));
    return { engine, task, parts: { task, policies, ...(frozen && { frozen }) }, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    await engine.close();
    await task.close?.();
  }

  async function actorOf(given: AppConfig["actor"]): Promise<LanguageModel> {
    if (given && "api" in given) {
      const { model, baseUrl, concurrency = 32 } = given.api;
      const { Limiter, openAiModel } = await import("@laconic/openai");
      return openAiModel({
        model,
        baseUrl,
        limiter: new Limiter({ start: Math.min(20, concurrency), most: concurrency }),
      });
    }
    // A model of its own, so that a resumed run's frozen agents are those of its beginning.
    const folder = given ? await openModel?.(given.model) : undefined;
    if (given && folder === undefined)
      throw new LaconicError("config_invalid", "actor: cannot be opened here", { key: "actor" });
    const model = await engine.createModel(folder === undefined ? first : { kind: "folder", path: folder });
    const tokenizer =
      folder === undefined ? task.tokenizer : await (await import("@laconic/tokenizers")).loadTokenizer(folder);
    return localPolicy({ id: model.id, sampler: model, tokenizer });
  }
}

/** What opening takes beside the configuration. */
export interface OpeningMeans {
  /** Hears what the engine answers by itself. */
  readonly onWarning: (message: string) => void;
  /** Of the run's model. */
  readonly modelFolder?: string;
  /** The folder of another model. */
  readonly openModel?: (name: string) => Promise<string>;
  readonly note?: (text: string) => void;
  /** Held-out problems at most; 0 opens no data. Default 1000. */
  readonly heldOut?: number;
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
