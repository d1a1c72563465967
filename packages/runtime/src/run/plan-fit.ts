import { join } from "node:path";
import { configError, LaconicError } from "@laconic/core";
import { formatBytes } from "@laconic/core/text";
import {
  largestBatches,
  parseModelConfig,
  readJsonFile,
  planMemory,
  sequencesWithin,
  type LargestBatches,
  type MemoryPlan,
  type MemorySettings,
  type ModelConfig,
  type SequenceLengths,
} from "@laconic/engine";
import type { TeamTask } from "@laconic/tasks";
import { chooseDevice, freeBytesOf, type ChosenDevice } from "../devices/choose-device.ts";
import { settingsFolders } from "../models/model-folder.ts";
import type { Progress } from "../progress.ts";
import { planEpisode, type PlannedEpisode } from "./plan-episode.ts";
import {
  adapterSettings,
  lastingSettings,
  leastAdapter,
  plannedPolicy,
  planOtherModels,
  planValueModels,
  bytesByDevice,
  deviceOf,
  type DeviceBytes,
  type FolderOf,
  type PlannedModel,
  type RunTeam,
} from "./plan-models.ts";
import { plannedLengths, type GivenLengths } from "./plan-servers.ts";
import { policiesOf } from "./policy-models.ts";
import type { AppConfig } from "./run-settings.ts";
import { plannedOutline } from "./run-task.ts";

export interface RunOutline {
  readonly model: ModelConfig;
  readonly task: TeamTask;
  readonly episode: PlannedEpisode;
  readonly team: PlannedTeam;
  memoryOf(config: AppConfig): Promise<RunMemory>;
}

export async function outlineRun(
  config: AppConfig,
  folder: string,
  device: ChosenDevice,
  { openModel, ...lengths }: GivenLengths & { readonly openModel: FolderOf },
): Promise<RunOutline> {
  const model = parseModelConfig(await readJsonFile(join(folder, "config.json")));
  const task = await plannedOutline(config, folder);
  const episode = await planEpisode(task);
  const team = plannedTeam(config, task, episode, device.workers);
  const tokens = plannedLengths(lengths, episode.maxTokens, model.maxPositions);
  const memoryOf = (changed: AppConfig): Promise<RunMemory> =>
    runMemory(changed, model, team, settingsOf(changed, device, tokens, team), openModel);
  return { model, task, episode, team, memoryOf };
}

/**
 * Settings with which a run fits into its device; empty if it fits as it is.
 * @throws LaconicError `device_out_of_memory` if no known settings fit, `config_invalid` if the memory is unknown
 */
export async function fitRun(config: AppConfig, progress: Progress): Promise<string[]> {
  const device = await chooseDevice(config.device, config.workers, progress.note, config);
  const bytes = await freeBytesOf(device);
  if (bytes === null)
    throw configError(`--fit: the free memory of ${device.name} is unknown; see laconic plan --memory`);
  const openModel = settingsFolders(progress);
  const folder = await openModel(config.model);
  const outline = await outlineRun(config, folder, device, { promptTokens: null, completionTokens: null, openModel });
  const { fitting } = await fitInto(config, await outline.memoryOf(config), outline, bytes);
  if (fitting) return fitting;
  throw new LaconicError(
    "device_out_of_memory",
    `no settings fit into ${formatBytes(bytes)} of ${device.name}; use smaller models`,
    { freeBytes: bytes, device: device.name },
  );
}

export interface PlannedTeam extends RunTeam {
  readonly trainedCalls: number;
  /** Concurrent replies on one worker, by policy and wave. */
  readonly rows: readonly (readonly number[])[];
  /** Concurrent replies of frozen agents on one worker, by wave. */
  readonly frozenRows: readonly number[];
}

function plannedTeam(
  config: AppConfig,
  task: TeamTask,
  { waves }: Pick<PlannedEpisode, "waves">,
  workers: number,
): PlannedTeam {
  const { problemsPerStep, episodesPerProblem } = config.train;
  const episodes = Math.ceil((problemsPerStep * episodesPerProblem) / workers);
  const policies = policiesOf(config, task);
  const trained = new Set(Object.values(policies).flat());
  const rowsOfAgents = (speaks: (agent: string) => boolean): number[] =>
    waves.map((wave) => episodes * wave.filter(speaks).length);
  const frozenRows = rowsOfAgents((agent) => !trained.has(agent));
  return {
    policies: Object.keys(policies),
    trainedCalls: waves.flat().filter((agent) => trained.has(agent)).length,
    rows: Object.values(policies).map((agents) => rowsOfAgents((agent) => agents.includes(agent))),
    frozenRows,
    frozenReplies: Math.max(...frozenRows),
  };
}

/** Memory on one worker, in bytes. */
export interface RunMemory {
  readonly settings: MemorySettings;
  /** First policy; each worker has a replica. */
  readonly memory: MemoryPlan;
  readonly otherModels: readonly PlannedModel[];
  /** All models: they learn in turn and sample at the same time. */
  readonly training: number;
  readonly sampling: number;
  /** The same of the models on other devices, in `devices`. */
  readonly elsewhere: Readonly<Record<string, DeviceBytes>>;
  /** Bytes that the other models on the first policy's device hold all the time. */
  readonly besides: number;
}

async function runMemory(
  config: AppConfig,
  model: ModelConfig,
  team: PlannedTeam,
  settings: MemorySettings,
  openModel: FolderOf,
): Promise<RunMemory> {
  const otherModels = [
    ...(await planOtherModels(config, team, settings, openModel)),
    ...(await planValueModels(config.train, team.policies, settings, openModel)),
  ];
  const memory = planMemory(model, settings);
  const place = deviceOf(config, team.policies[0] ?? "");
  const first = plannedPolicy("", config.model, memory, place);
  const byDevice = bytesByDevice([first, ...otherModels]);
  const { training, sampling } = byDevice.get(null)!;
  const besides = byDevice.get(place)!.lasting - first.lasting;
  const elsewhere = Object.fromEntries(
    [...byDevice].flatMap(([device, bytes]) => (device === null ? [] : [[device, bytes]])),
  );
  return { settings, memory, otherModels, training, sampling, elsewhere, besides };
}

function largestOf({ settings, besides }: RunMemory, model: ModelConfig, memoryBytes: number): LargestBatches {
  return largestBatches(model, settings, Math.max(0, memoryBytes - besides));
}

interface Remedy {
  readonly setting: string;
  readonly change: (config: AppConfig) => AppConfig;
}

const recompute: Remedy = {
  setting: "memory.recompute=layer",
  change: (config) => ({ ...config, memory: { ...config.memory, recompute: "layer" } }),
};
const onHost: Remedy = {
  setting: "memory.optimizer=host",
  change: (config) => (config.lora ? config : { ...config, memory: { ...config.memory, optimizer: "host" } }),
};
const adapter: Remedy = {
  setting: adapterSettings,
  change: (config) => ({ ...config, lora: config.lora ?? leastAdapter }),
};

/** Changes that save memory, in order of preference. */
const alternatives: readonly (readonly Remedy[])[] = [[], [recompute], [recompute, onHost], [recompute, adapter]];

/** Largest batches of a run as it is, and settings with which it fits; null if none is known. */
export interface Fit {
  readonly largest: LargestBatches;
  readonly fitting: string[] | null;
}

/** @param memory - of the run as it is */
export async function fitInto(
  config: AppConfig,
  memory: RunMemory,
  { model, memoryOf }: Pick<RunOutline, "model" | "memoryOf">,
  memoryBytes: number,
): Promise<Fit> {
  const largest = largestOf(memory, model, memoryBytes);
  for (const remedies of alternatives) {
    let changed = config;
    const settings: string[] = [];
    for (const { setting, change } of remedies) {
      const next = change(changed);
      if (JSON.stringify(next) === JSON.stringify(changed)) continue;
      settings.push(...setting.split(" "));
      changed = next;
    }
    const planned = changed === config ? memory : await memoryOf(changed);
    const possible = planned === memory ? largest : largestOf(planned, model, memoryBytes);
    const isFull = Object.values(planned.elsewhere).some(({ lasting }) => lasting > memoryBytes);
    if (isFull || possible.microBatch === 0 || possible.rollouts === 0) continue;
    if (planned.settings.microBatch > possible.microBatch)
      settings.push(`memory.maxTokensPerMicroBatch=${possible.maxTokensPerMicroBatch}`);
    return { largest, fitting: settings };
  }
  return { largest, fitting: null };
}

function settingsOf(
  config: AppConfig,
  { dtype, kernels }: ChosenDevice,
  tokens: SequenceLengths,
  { rows }: PlannedTeam,
): MemorySettings {
  const { memory, train } = config;
  // Mean, because sequences get minibatches at random.
  const lengths = { ...tokens, repliesPerPrompt: Math.ceil(train.episodesPerProblem / train.minibatches) };
  const perStep = Math.ceil(sequencesOf(rows) / train.minibatches);
  return {
    dtype,
    ...lastingSettings(config),
    recompute: memory.recompute,
    ...lengths,
    microBatch: Math.max(1, Math.min(perStep, sequencesWithin(lengths, memory.maxTokensPerMicroBatch))),
    rollouts: Math.max(...rows.flat()),
    ...kernels,
  };
}

export function sequencesOf(rows: PlannedTeam["rows"]): number {
  return Math.max(...rows.map((waves) => waves.reduce((sum, count) => sum + count, 0)));
}
