import { join } from "node:path";
import { inputError, LaconicError, type ModelResources, type ValueModel } from "@laconic/core";
import { formatBytes } from "@laconic/core/text";
import {
  forwardPassBytes,
  parseModelConfig,
  planMemory,
  readJsonFile,
  type MemoryPlan,
  type MemorySettings,
  type ModelConfig,
} from "@laconic/engine";
import { estimatorValue, isNamedObjective } from "@laconic/trainer";
import { freeBytesOf, type ChosenDevice } from "../devices/choose-device.ts";
import { openTrain } from "../resolver/open-train.ts";
import { isReference } from "../resolver/reference.ts";
import { modelOf } from "./policy-models.ts";
import type { AppConfig } from "./run-settings.ts";

/** Device memory of one model of a run, in bytes. */
export interface PlannedModel {
  readonly role: string;
  readonly model: string;
  /** Null for the run's device. */
  readonly device: string | null;
  /** Weights, with frozen copies, exact copies and moments if trained. */
  readonly lasting: number;
  /** More while it learns, or reads sequences. */
  readonly training: number;
  /** More while it samples. */
  readonly sampling: number;
}

export interface RunTeam {
  readonly policies: readonly string[];
  /** Most concurrent replies of frozen agents on one worker; 0 without any. */
  readonly frozenReplies: number;
}

export function plannedPolicy(
  role: string,
  model: string,
  plan: MemoryPlan,
  device: string | null = null,
): PlannedModel {
  const lasting = plan.weights + plan.snapshots + plan.masterWeights + plan.optimizerMoments;
  return { role, model, device, lasting, training: plan.training - lasting, sampling: plan.sampling - lasting };
}

export type FolderOf = (model: string) => Promise<string>;

async function shapeIn(model: string, folderOf: FolderOf): Promise<ModelConfig> {
  return parseModelConfig(await readJsonFile(join(await folderOf(model), "config.json")));
}

interface PlannedActor {
  readonly model: string;
  readonly shape: ModelConfig;
  readonly settings: MemorySettings;
}

/** Null if every agent learns, or the actor is on a server. */
export async function planActor(
  { actor, model }: Pick<AppConfig, "actor" | "model">,
  { frozenReplies }: RunTeam,
  settings: MemorySettings,
  folderOf: FolderOf,
): Promise<PlannedActor | null> {
  const name = actor === null ? model : modelOf(actor);
  if (frozenReplies === 0 || name === null) return null;
  const lora = actor === null ? settings.lora : null;
  const reads = { ...settings, lora, snapshots: 0, rollouts: frozenReplies };
  return { model: name, shape: await shapeIn(name, folderOf), settings: reads };
}

export async function planOtherModels(
  config: Pick<AppConfig, "bases" | "teachers" | "actor" | "model" | "devices">,
  team: RunTeam,
  settings: MemorySettings,
  folderOf: FolderOf,
): Promise<PlannedModel[]> {
  const { model, bases, teachers, devices } = config;
  const { policies } = team;
  const planned: PlannedModel[] = [];
  // Adapters on one model share its weights.
  const first = policies[0] ?? "";
  const opened = new Set([placed(bases[first] ?? model, deviceOf(config, first))]);
  const sharedBytes = (base: string, shape: ModelConfig, { lora }: MemorySettings, device: string | null): number => {
    const isShared = lora !== null && opened.has(placed(base, device));
    opened.add(placed(base, device));
    return isShared ? planMemory(shape, { ...settings, lora: null, microBatch: 0, rollouts: 0 }).weights : 0;
  };
  for (const policy of policies.slice(1)) {
    const base = bases[policy] ?? model;
    const shape = await shapeIn(base, folderOf);
    const device = deviceOf(config, policy);
    const whole = plannedPolicy(`policy ${policy}`, base, planMemory(shape, settings), device);
    planned.push({ ...whole, lasting: whole.lasting - sharedBytes(base, shape, settings, device) });
  }
  const actor = await planActor(config, team, settings, folderOf);
  if (actor) {
    const { model: name, shape, settings: reads } = actor;
    const device = devices.actor ?? null;
    const whole = { ...plannedReader("actor", name, shape, reads), device };
    planned.push({ ...whole, lasting: whole.lasting - sharedBytes(name, shape, reads, device) });
  }
  const reads = { ...settings, lora: null, snapshots: 0, rollouts: 0 };
  for (const [name, teacher] of Object.entries(teachers))
    planned.push({
      ...plannedReader(`teacher ${name}`, teacher, await shapeIn(teacher, folderOf), reads),
      device: devices.teachers ?? null,
    });
  return planned;
}

export function deviceOf({ devices }: Pick<AppConfig, "devices">, policy: string): string | null {
  return devices.policies?.[policy] ?? null;
}

function placed(base: string, device: string | null): string {
  return JSON.stringify([base, device]);
}

/**
 * Memory of critics, one per policy, and reward models that have a name. Heads on a policy's layers are negligible.
 * States have the length of a planned sequence.
 */
export async function planValueModels(
  train: AppConfig["train"],
  policies: readonly string[],
  settings: MemorySettings,
  folderOf: FolderOf,
): Promise<PlannedModel[]> {
  const reads = { ...settings, lora: null, snapshots: 0, rollouts: 0 };
  const planned: PlannedModel[] = [];
  for (const { of, model, trains } of await valueModelsOf(train, policies)) {
    const shape = { ...(await shapeIn(model, folderOf)), scalarHead: true } as const;
    planned.push(trains ? plannedCritic(model, shape, reads) : plannedReader(of, model, shape, reads));
  }
  return planned;
}

export type DeviceBytes = Readonly<Record<"lasting" | "training" | "sampling", number>>;

/** Memory of the models on each device; null is the run's. */
export function bytesByDevice(models: readonly PlannedModel[]): ReadonlyMap<string | null, DeviceBytes> {
  const devices = new Set([null, ...models.map(({ device }) => device)]);
  return new Map(
    Array.from(devices, (device) => [device, totalBytes(models.filter((model) => model.device === device))]),
  );
}

/** Models learn in turn and sample at the same time. */
function totalBytes(models: readonly PlannedModel[]): DeviceBytes {
  const sum = (part: "lasting" | "sampling"): number => models.reduce((total, one) => total + one[part], 0);
  const lasting = sum("lasting");
  const training = lasting + Math.max(0, ...models.map((one) => one.training));
  return { lasting, training, sampling: lasting + sum("sampling") };
}

function snapshotsOf({ objective, opponents, refreshOldPolicyEvery }: AppConfig["train"]): number {
  return (
    (refreshOldPolicyEvery > 1 ? 1 : 0) +
    (isNamedObjective(objective) && objective.kl ? 1 : 0) +
    (opponents ? opponents.keep + opponents.runs.length : 0)
  );
}

export const leastAdapter = { rank: 16, alpha: 32 } as const;
export const adapterSettings: string = `lora.rank=${leastAdapter.rank} lora.alpha=${leastAdapter.alpha}`;

/** Settings of a memory plan that do not depend on the batches. */
export function lastingSettings({
  lora,
  memory: { optimizer },
  train,
}: Pick<AppConfig, "lora" | "memory" | "train">): Pick<MemorySettings, "lora" | "optimizer" | "snapshots"> {
  return { lora, ...(optimizer && { optimizer }), snapshots: snapshotsOf(train) };
}

/**
 * Refuses models whose weights, moments and gradients alone exceed the device; critics and reward models do not count.
 * @throws LaconicError `device_out_of_memory` with the needed bytes and what would fit
 */
export async function expectFit(
  config: AppConfig,
  team: RunTeam,
  device: ChosenDevice,
  folderOf: FolderOf,
): Promise<void> {
  const { name, dtype } = device;
  const freeBytes = await freeBytesOf(device);
  if (freeBytes === null) return;
  const least = { recompute: "layer", promptTokens: 1, completionTokens: 1, microBatch: 1, rollouts: 1 } as const;
  const needed = async (lora: AppConfig["lora"]): Promise<number> => {
    const settings = { ...least, dtype, ...lastingSettings({ ...config, lora }) };
    const first = config.bases[team.policies[0] ?? ""] ?? config.model;
    const plan = planMemory(await shapeIn(first, folderOf), settings);
    const policy = plannedPolicy("", first, plan, deviceOf(config, team.policies[0] ?? ""));
    const others = await planOtherModels(config, team, settings, folderOf);
    return bytesByDevice([policy, ...others]).get(null)?.training ?? 0;
  };
  const bytes = await needed(config.lora);
  if (bytes <= freeBytes) return;
  const small = config.lora ? Infinity : await needed(leastAdapter);
  throw new LaconicError(
    "device_out_of_memory",
    `the models need ${formatBytes(bytes)} on ${name} before any batch, and ${formatBytes(freeBytes)} are free; ${
      small <= freeBytes ? `${adapterSettings} needs ${formatBytes(small)}` : "use smaller models"
    }, or see laconic plan`,
    { bytes, freeBytes, device: name },
  );
}

/** A model that only samples, or without rollouts only reads. */
function plannedReader(role: string, model: string, shape: ModelConfig, settings: MemorySettings): PlannedModel {
  const { dtype, lora, rollouts, promptTokens, completionTokens } = settings;
  const plan = planMemory(shape, { ...settings, snapshots: 0, microBatch: 0 });
  const sequences = Array.from({ length: settings.microBatch }, () => ({
    promptTokens: new Array<number>(promptTokens + completionTokens - 1).fill(0),
    completionTokens: [0],
  }));
  const sampling = plan.keyValueCache + plan.samplingWorkspace + plan.samplingOverhead;
  const training = rollouts > 0 ? 0 : forwardPassBytes(shape, { dtype, lora, shared: false }, sequences);
  return { role, model, device: null, lasting: plan.weights, training, sampling: rollouts > 0 ? sampling : 0 };
}

function plannedCritic(model: string, shape: ModelConfig, settings: MemorySettings): PlannedModel {
  const promptTokens = settings.promptTokens + settings.completionTokens - 1;
  const read = { ...settings, repliesPerPrompt: 1, promptTokens, completionTokens: 1 };
  return { ...plannedPolicy("critic", model, planMemory(shape, read)), sampling: 0 };
}

interface ValueRequest {
  readonly of: "critic" | "reward";
  readonly model: string;
  readonly trains: boolean;
}

/** Models that estimators and the reward open by name, one critic per policy. */
async function valueModelsOf(train: AppConfig["train"], policies: readonly string[]): Promise<ValueRequest[]> {
  const opened = await openTrain(train);
  const requests: ValueRequest[] = [];
  for (const name of policies) await estimatorValue(opened, name)?.open?.(recording("critic", requests));
  const { reward } = opened;
  if (reward && !isReference(reward)) await reward.open?.(recording("reward", requests));
  return requests;
}

/** Records requests; the returned model refuses all calls. */
function recording(of: ValueRequest["of"], requests: ValueRequest[]): ModelResources {
  const refuse = (): never => {
    throw inputError("a plan opens no model");
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
      if (typeof layers === "string") requests.push({ model: layers, of, trains: of === "critic" && train === "all" });
      return { model, encode: () => [] };
    },
  };
}
