import { configError, isRecord, loraShape, nearestName, refuseSetting, type UnknownRecord } from "@laconic/core";
import { issueWords, schemaOf } from "@laconic/core/schemas";
import { taskSettingsSchema, namedTask } from "@laconic/tasks/named";
import { parseTrainConfig, settingPaths, trainConfigSchema } from "@laconic/trainer";
import { z } from "zod";
import { wordTable } from "@laconic/core/checks";
import { parseJson } from "@laconic/core/json";
import { checkReferences, isReference, mapReferences, referenced, referencesIn } from "../resolver/reference.ts";
import {
  checkWarmStart,
  warmStartSettings,
  defaultSinks,
  sinkSettings,
  type GivenWarmStart,
  type ActorSettings,
  type AppConfig,
  type MemorySettings,
  type TaskSettings,
} from "./run-settings.ts";
import { checkRemoteSettings, checkSamplerSettings, withGapCorrection } from "./check-servers.ts";
import { remoteSettings, samplerSettings } from "./server-settings.ts";
import { checkDeviceName } from "../devices/known-devices.ts";

/** `train` is partial, and placeholders replace references. */
interface WrittenConfig extends Omit<AppConfig, "task" | "actor" | "train" | "memory" | "warmStart"> {
  readonly warmStart: GivenWarmStart | null;
  readonly task: TaskSettings;
  readonly actor: ActorSettings | null;
  readonly memory: { readonly [K in keyof MemorySettings]?: MemorySettings[K] };
  readonly train: UnknownRecord;
}

const defaultMemory: MemorySettings = { maxTokensPerMicroBatch: 16_384, recompute: "none" };

const defaults: WrittenConfig = {
  task: { name: "relay", level: "one-fact" },
  model: "shipped",
  warmStart: null,
  engine: null,
  sampler: null,
  actor: null,
  policies: "shared",
  bases: {},
  teachers: {},
  chatTemplateArguments: {},
  lora: null,
  device: "auto",
  devices: {},
  workers: "auto",
  deterministic: false,
  memory: {},
  sinks: defaultSinks,
  train: {},
};

/** `train` is checked separately. */
export const configSchema: z.ZodType<WrittenConfig> = z.strictObject({
  task: taskSettingsSchema.describe("Task of the team: a built-in task with settings, or a file"),
  model: z.string().min(1).describe("Initial weights of the policy: `shipped`, a folder, or `hub:OWNER/NAME`"),
  warmStart: warmStartSettings
    .nullable()
    .describe("Supervised training before reinforcement learning; null disables it"),
  engine: remoteSettings.nullable().describe("Training server; null trains on this machine"),
  sampler: samplerSettings.nullable().describe("Sampling servers; null samples with the engine"),
  actor: z
    .union([
      z.strictObject({ model: z.string().min(1).describe("Weights: a folder or `hub:OWNER/NAME`") }),
      z.strictObject({
        api: z
          .strictObject({
            model: z.string().min(1).describe("Name of the model at the server"),
            baseUrl: z.string().min(1).describe("Address of the server"),
            concurrency: z.int().min(1).exactOptional().describe("Max concurrent requests"),
          })
          .describe("A model behind an OpenAI-compatible server"),
      }),
    ])
    .nullable()
    .describe("Frozen model that answers with the team's help; null disables it"),
  policies: z.enum(["shared", "own"]).describe("Shared weights, or separate weights per agent"),
  bases: z.record(z.string(), z.string().min(1)).describe("Initial weights by policy, if other than `model`"),
  teachers: z
    .record(z.string().regex(/^[\w-]+$/u), z.string().min(1))
    .describe("Models by name, for terms that compare with them"),
  chatTemplateArguments: z.record(z.string(), z.json()).describe("Arguments of the model's chat template"),
  lora: schemaOf(loraShape).nullable().describe("LoRA adapter; null trains all weights"),
  device: z.string().min(1).describe("Device: `auto`, `wasm`, `cpu`, `cuda`, `webgpu`, `tensorflow`"),
  devices: z
    .strictObject({
      policies: z.record(z.string(), z.string().min(1)).exactOptional().describe("Devices by policy"),
      actor: z.string().min(1).exactOptional().describe("Device of the agents that do not learn"),
      teachers: z.string().min(1).exactOptional().describe("Device of the teachers"),
    })
    .describe("Devices of models that are not on `device`"),
  workers: z
    .union([z.literal("auto"), z.int().min(1).max(64)])
    .describe("Training threads; `auto` is the number of cores"),
  deterministic: z.boolean().describe("Use of bit-reproducible kernels"),
  memory: z
    .strictObject({
      maxTokensPerMicroBatch: z.int().min(1).exactOptional().describe("Max tokens per forward pass in training"),
      recompute: z.enum(["none", "layer"]).exactOptional().describe("Activations to recompute in the backward pass"),
      optimizer: z.enum(["device", "host"]).exactOptional().describe("Memory of the optimizer's state between steps"),
      cacheGb: z.number().positive().exactOptional().describe("Size of the key-value caches in gigabytes"),
    })
    .describe("Memory limits"),
  sinks: sinkSettings.describe("Metric sinks besides the run folder"),
  train: z.record(z.string(), z.unknown()),
});

/**
 * Checks a configuration and fills in defaults.
 * @throws LaconicError `config_invalid` for a wrong setting, an unknown key (with the nearest one) or one without
 * effect; `device_unavailable` for an unknown device
 */
export function parseAppConfig(written: unknown): AppConfig {
  if (!isRecord(written)) throw configError("the configuration is not an object");
  for (const key of Object.keys(written))
    if (!Object.hasOwn(defaults, key)) {
      const near = suggestSetting(key);
      refuseSetting(
        key,
        `unknown setting${near === undefined ? `; use one of: ${Object.keys(defaults).join(", ")}` : `; did you mean ${near}?`}`,
      );
    }
  checkReferences(written);
  const whole = { ...defaults, ...written };
  const parsed = configSchema.safeParse(withoutReferences(whole), { error: issueWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    refuseSetting(issue.path.join("."), issue.message);
  }
  const parts = withReferences(whole, parsed.data);
  checkEffects({ ...parts, device: parsed.data.device, train: parsed.data.train });
  const config = {
    ...parsed.data,
    ...parts,
    memory: { ...defaultMemory, ...parsed.data.memory },
    train: parseTrainConfig(withGapCorrection(parsed.data.train, parsed.data.sampler), ["train"], suggestSetting),
  };
  checkWarmStart(config);
  if (config.train.supervised && !config.train.supervised.examples)
    refuseSetting(
      "train.supervised.examples",
      "no examples; give a file, a list or a function, or set train.supervised to null",
    );
  checkRemoteSettings(config, Object.keys(written));
  checkSamplerSettings(config);
  const { warmStart, train } = config;
  // The seed defaults to the run's, so that other runs have other examples.
  return { ...config, warmStart: warmStart && { ...warmStart, seed: warmStart.seed ?? String(train.seed) } };
}

/** Inverse of {@link parseAppConfig}. */
export function writtenConfig({
  train,
  engine,
  memory,
  deterministic,
  sinks,
  teachers,
  devices,
  warmStart,
  ...config
}: AppConfig): UnknownRecord {
  // Memory has no effect on a server.
  const where = engine === null ? { memory } : { engine };
  return {
    ...config,
    ...where,
    // Defaults are omitted, because older runs lack these settings.
    ...(deterministic && { deterministic }),
    ...(warmStart && { warmStart }),
    ...(Object.keys(teachers).length > 0 && { teachers }),
    ...(Object.keys(devices).length > 0 && { devices }),
    ...(JSON.stringify(sinks) !== JSON.stringify(defaultSinks) && { sinks }),
    train,
  };
}

/** Replaces references by names, so that the other settings can be checked. */
function withoutReferences(written: UnknownRecord): UnknownRecord {
  const { task, actor } = written;
  const withTeams = (named: unknown): unknown =>
    isRecord(named) && "team" in named ? { ...named, team: mapReferences(named["team"], () => "solo") } : named;
  return {
    ...written,
    task: isReference(task) ? defaults.task : withTeams(task),
    actor: isReference(actor) ? null : actor,
  };
}

function withReferences(
  { task, actor }: UnknownRecord,
  checked: Pick<WrittenConfig, "task" | "actor">,
): Pick<AppConfig, "task" | "actor"> {
  const team = isRecord(task) && referencesIn(task["team"]).length > 0 ? { team: task["team"] } : {};
  return {
    task: isReference(task) ? task : ({ ...checked.task, ...team } as AppConfig["task"]),
    actor: isReference(actor) ? actor : checked.actor,
  };
}

type Checked = Pick<AppConfig, "task" | "actor" | "device"> & { readonly train: UnknownRecord };

function checkEffects({ task, actor, device, train }: Checked): void {
  checkDeviceName(device);
  if (!isReference(task) && task.name === "benchmark" && task.showBudget && !train["budget"])
    refuseSetting("task.showBudget", "has no effect: no budget for the team; set train.budget, or remove it");
  // Learners of a custom task or team are not known yet.
  if (referencesIn(task).length > 0) return;
  const settings = task as TaskSettings;
  checkActor(actor, namedTask(settings).hasFrozenAgents?.(settings) ?? false);
}

export function checkActor(actor: AppConfig["actor"], hasFrozen: boolean): void {
  if (actor === null || hasFrozen) return;
  refuseSetting("actor", "has no effect: every agent of this task learns; remove it");
}

/** Names in other trainers, in lower case without separators. */
export const synonyms: Readonly<Record<string, string>> = wordTable({
  batchsize: "train.problemsPerStep",
  trainbatchsize: "train.problemsPerStep",
  perdevicetrainbatchsize: "train.problemsPerStep",
  beta: "train.objective.kl.coefficient",
  klcoef: "train.objective.kl.coefficient",
  cliprange: "train.objective.clip",
  gpu: "device",
  groupsize: "train.episodesPerProblem",
  numgenerations: "train.episodesPerProblem",
  loss: "train.objective.name",
  algorithm: "train.objective.name",
  lr: "train.optimizer.learningRate.peak",
  learningrate: "train.optimizer.learningRate.peak",
  warmup: "train.optimizer.learningRate.warmUpSteps",
  warmupsteps: "train.optimizer.learningRate.warmUpSteps",
  maxcompletionlength: "train.limits.maxTokens",
  maxnewtokens: "train.limits.maxTokens",
  maxsteps: "train.steps",
  modelname: "model",
  modelnameorpath: "model",
  numepochs: "train.epochs",
  numtrainepochs: "train.epochs",
  numiterations: "train.epochs",
  rank: "lora.rank",
});

/**
 * Suggests a synonym of another trainer, a setting with this last name, or the nearest name. Undefined if no name is
 * near.
 */
export function suggestSetting(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
  const synonym = synonyms[plain(name)];
  if (synonym !== undefined) return synonym;
  const trainPaths = settingPaths(trainConfigSchema)
    .filter((path) => !path.includes("*"))
    .map((path) => `train.${path}`);
  const depth = (path: string): number => path.split(".").length;
  const paths = [...trainPaths, ...settingPaths(configSchema)].toSorted((a, b) => depth(a) - depth(b));
  const lastNames = paths.map((path) => plain(path.slice(path.lastIndexOf(".") + 1)));
  const near = lastNames.includes(plain(name)) ? plain(name) : nearestName(plain(name), lastNames);
  return near === undefined ? undefined : paths[lastNames.indexOf(near)];
}

type Json = Record<string, unknown>;

/** Names that access an object's prototype. */
const forbidden = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Applies `a.b.c=value` overrides to a copy. Values are JSON, otherwise text. Files such as `task=./task.ts` are
 * relative to the working directory.
 * @throws LaconicError `config_invalid` for an override without `=`, a path through a value, or a forbidden name
 */
export function applyOverrides(config: Readonly<Json>, overrides: readonly string[]): Json {
  const result = structuredClone(config) as Json;
  for (const word of overrides) {
    const split = word.indexOf("=");
    if (split <= 0) throw configError(`"${word}" is not key=value`, { argument: word });
    const path = word.slice(0, split).split(".");
    const last = path.pop()!;
    let json = result;
    for (const name of [...path, last])
      if (name === "" || forbidden.has(name))
        throw configError(`"${word.slice(0, split)}" is not a setting`, { key: word.slice(0, split) });
    for (const name of path) {
      const next = (json[name] ??= {});
      if (!isRecord(next))
        throw configError(`${word.slice(0, split)}: ${name} is a value, not a group of settings`, { key: name });
      json = next;
    }
    const value = parseValue(word.slice(split + 1), word.slice(0, split));
    const group = json[last];
    // A number sets the target of an existing budget.
    if (typeof value === "number" && isRecord(group) && "targetTokens" in group)
      json[last] = { ...group, targetTokens: value };
    else json[last] = referenced(value, { directory: process.cwd() }, [...path, last]);
  }
  return result;
}

function parseValue(text: string, key: string): unknown {
  try {
    JSON.parse(text); // `parseJson` also refuses deep nesting
  } catch {
    return text;
  }
  return parseJson(text, key);
}
