import { isReference } from "../resolver/reference.ts";
import { estimatorValue } from "@laconic/trainer";
import { join } from "node:path";
import { LaconicError, type ModelResources, type ValueModel } from "@laconic/core";
import {
  forwardPassBytes,
  parseModelConfig,
  planMemory,
  readJsonFile,
  type MemoryPlan,
  type MemorySettings,
} from "@laconic/engine";
import { openTrain } from "../resolver/open-train.ts";
import type { AppConfig } from "./run-settings.ts";

/** What a critic with layers of its own, or a reward model, takes on the device, in bytes. */
export interface PlannedValueModel {
  /** As the run names it. */
  readonly model: string;
  readonly of: "critic" | "reward";
  /** Weights, with exact copies and moments where they learn: from the beginning to the end. */
  readonly lasting: number;
  /** Gradients and activations of a pass, while it values or learns. */
  readonly coming: number;
}

/** What an estimator or a reward asks an engine for. */
interface Asked {
  readonly model: string;
  readonly of: PlannedValueModel["of"];
  readonly trains: boolean;
}

/**
 * Memory of the models that a run's own estimators and reward open by name, one critic for each policy. A head on a policy's layers takes a row of
 * numbers, and is left out. A state is taken to have as many tokens as a planned sequence.
 * @param folderOf - the folder of a model, its description alone
 * @throws LaconicError what opening a value throws
 */
export async function planValueModels(
  { train }: Pick<AppConfig, "train">,
  policies: readonly string[],
  settings: MemorySettings,
  folderOf: (model: string) => Promise<string>,
): Promise<PlannedValueModel[]> {
  const opened = await openTrain(train);
  const asked: Asked[] = [];
  for (const name of policies) await estimatorValue(opened, name)?.open?.(recording("critic", asked));
  const { reward } = opened;
  if (reward && !isReference(reward)) await reward.open?.(recording("reward", asked));
  const planned: PlannedValueModel[] = [];
  for (const each of asked) {
    const json = await readJsonFile(join(await folderOf(each.model), "config.json"));
    planned.push({ model: each.model, of: each.of, ...bytesOf(json, settings, each.trains) });
  }
  return planned;
}

function bytesOf(
  json: Readonly<Record<string, unknown>>,
  settings: MemorySettings,
  trains: boolean,
): Pick<PlannedValueModel, "lasting" | "coming"> {
  const config = { ...parseModelConfig(json), scalarHead: true } as const;
  const tokens = settings.promptTokens + settings.completionTokens;
  const read = { ...settings, lora: null, snapshots: 0, rollouts: 0, repliesPerPrompt: 1, completionTokens: 1 };
  const plan: MemoryPlan = planMemory(config, { ...read, promptTokens: tokens - 1 });
  if (trains) {
    const lasting = plan.weights + plan.masterWeights + plan.optimizerMoments;
    return { lasting, coming: plan.training - lasting };
  }
  const sequences = Array.from({ length: settings.microBatch }, () => ({
    promptTokens: new Array<number>(tokens - 1).fill(0),
    completionTokens: [0],
  }));
  return { lasting: plan.weights, coming: forwardPassBytes(config, { ...read, shared: false }, sequences) };
}

/** Notes what is asked for, and gives a model that computes nothing: a plan values no state. */
function recording(of: Asked["of"], asked: Asked[]): ModelResources {
  const refuse = (): never => {
    throw new LaconicError("input_invalid", "a plan opens no model: ask it for values in a run");
  };
  const model: ValueModel = {
    id: "planned",
    parameters: 0,
    contextLength: Infinity,
    weightVersion: 0,
    hasStoredHead: true,
    trainableParameters: 0,
    forward: refuse,
    forwardBackward: refuse,
    optimStep: refuse,
    save: refuse,
    load: refuse,
    dispose: async () => undefined,
  };
  return {
    async openValueModel(layers, { train = "all" } = {}) {
      if (typeof layers === "string") asked.push({ model: layers, of, trains: of === "critic" && train === "all" });
      return { model, encode: () => [] };
    },
  };
}
