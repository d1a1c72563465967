import { isRecord, LaconicError, loraShape } from "@laconic/core";
import { issueWords, schemaOf } from "@laconic/core/schemas";
import { taskSettingsSchema } from "@laconic/tasks/named";
import { parseTrainConfig, settingPaths } from "@laconic/trainer";
import { z } from "zod";
import { checkEffects } from "./check-effects.ts";
import { checkReferences } from "../resolver/referenced.ts";
import { checkWarmStart, warmStartSettings, type GivenWarmStart } from "./warm-start/warm-start-settings.ts";
import { nearestSetting } from "./nearest-setting.ts";
import { namedPart, withOwn } from "./own-parts.ts";
import { checkSamplerSettings, withGapCorrection } from "./fleet/check-fleet.ts";
import { samplerSettings } from "./fleet/fleet-setting.ts";
import { checkRemoteSettings } from "./remote/check-remote.ts";
import { remoteSettings } from "./remote/tinker-setting.ts";
import { defaultSinks, isDefaultSinks, sinkSettings } from "../sinks/sink-setting.ts";
import type { ActorSettings, AppConfig, MemorySettings, TaskSettings } from "./run-settings.ts";

/** As written: `train` is partial and filled with defaults, and placeholders replace references. */
interface WrittenConfig extends Omit<AppConfig, "task" | "actor" | "train" | "memory" | "warmStart"> {
  readonly warmStart: GivenWarmStart | null;
  readonly task: TaskSettings;
  readonly actor: ActorSettings | null;
  readonly memory: { readonly [K in keyof MemorySettings]?: MemorySettings[K] };
  readonly train: Readonly<Record<string, unknown>>;
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
  workers: "auto",
  deterministic: false,
  memory: {},
  sinks: defaultSinks,
  train: {},
};

/** A configuration as one writes it; of `train` only that it is an object. */
export const configSchema: z.ZodType<WrittenConfig> = z.strictObject({
  task: taskSettingsSchema.describe("What the team solves: a built-in task with its settings, or a file of your own"),
  model: z.string().min(1).describe("The policy's first weights: `shipped`, a folder, or `hub:OWNER/NAME`"),
  warmStart: warmStartSettings.nullable().describe("Supervised training before reinforcement learning; null for none"),
  engine: remoteSettings.nullable().describe("Training on a server; null trains on this machine"),
  sampler: samplerSettings
    .nullable()
    .describe("Servers that sample, beside an engine that trains; null samples with the engine"),
  actor: z
    .union([
      z.strictObject({ model: z.string().min(1).describe("Its weights: a folder or `hub:OWNER/NAME`") }),
      z.strictObject({
        api: z
          .strictObject({
            model: z.string().min(1).describe("Name of the model at the server"),
            baseUrl: z.string().min(1).describe("Address of the server"),
            concurrency: z.int().min(1).exactOptional().describe("Requests that run at the same time"),
          })
          .describe("A model behind an OpenAI-compatible server"),
      }),
    ])
    .nullable()
    .describe("A frozen model that answers with the team's help; null for none"),
  policies: z.enum(["shared", "own"]).describe("Whether agents share weights, or each has its own"),
  bases: z.record(z.string(), z.string().min(1)).describe("First weights by policy, where they differ from `model`"),
  teachers: z
    .record(z.string().regex(/^[\w-]+$/u), z.string().min(1))
    .describe("Other models by name, for terms that compare with them"),
  chatTemplateArguments: z.record(z.string(), z.json()).describe("Values that the model's chat template takes"),
  lora: schemaOf(loraShape).nullable().describe("Trains an adapter instead of all weights; null trains all"),
  device: z.string().min(1).describe("Where it computes: `auto`, `wasm`, `cpu`, `cuda`, `webgpu`, `tensorflow`"),
  workers: z
    .union([z.literal("auto"), z.int().min(1).max(64)])
    .describe("Threads that train; `auto` is the number of cores"),
  deterministic: z.boolean().describe("Takes kernels that give the same bits every time"),
  memory: z
    .strictObject({
      maxTokensPerMicroBatch: z.int().min(1).exactOptional().describe("Tokens of a forward pass in training"),
      recompute: z
        .enum(["none", "layer"])
        .exactOptional()
        .describe("Activations that are computed again in the backward pass"),
      cacheGb: z.number().positive().exactOptional().describe("Gigabytes of the key-value caches"),
    })
    .describe("Limits of memory"),
  sinks: sinkSettings.describe("Where metrics go besides the run's folder"),
  train: z.record(z.string(), z.unknown()),
});

/** The setting that a name means which is none; undefined where no name is near. */
export function suggestSetting(name: string): string | undefined {
  return nearestSetting(name, settingPaths(configSchema));
}

/**
 * Checks a configuration and fills in what it leaves out.
 * @throws LaconicError `config_invalid` naming the key, with the nearest known one for a key that does not exist, and for one
 * without effect; `device_unavailable` for a device that does not exist.
 */
export function parseAppConfig(written: unknown): AppConfig {
  if (!isRecord(written)) throw new LaconicError("config_invalid", "the configuration is not an object");
  for (const key of Object.keys(written))
    if (!Object.hasOwn(defaults, key)) {
      const near = suggestSetting(key);
      throw new LaconicError(
        "config_invalid",
        `${key}: there is no such setting${near === undefined ? `; known: ${Object.keys(defaults).join(", ")}` : `; did you mean ${near}?`}`,
        { key },
      );
    }
  checkReferences(written);
  const { named, own } = namedPart({ ...defaults, ...written });
  const parsed = configSchema.safeParse(named, { error: issueWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    throw new LaconicError("config_invalid", `${issue.path.join(".")}: ${issue.message}`, {
      key: issue.path.join("."),
    });
  }
  const parts = withOwn(parsed.data, own);
  checkEffects({ ...parts, device: parsed.data.device, train: parsed.data.train });
  const config = {
    ...parsed.data,
    ...parts,
    memory: { ...defaultMemory, ...parsed.data.memory },
    train: parseTrainConfig(withGapCorrection(parsed.data.train, parsed.data.sampler), ["train"], suggestSetting),
  };
  checkWarmStart(config);
  if (config.train.supervised && !config.train.supervised.examples)
    throw new LaconicError(
      "config_invalid",
      "train.supervised.examples: there are none to learn; name a file, a list or a function, or set train.supervised to null",
      { key: "train.supervised.examples" },
    );
  checkRemoteSettings(config, Object.keys(written));
  checkSamplerSettings(config);
  const { warmStart, train } = config;
  // Examples of the run's own seed, so that runs of several seeds repeat nothing of each other.
  return { ...config, warmStart: warmStart && { ...warmStart, seed: warmStart.seed ?? String(train.seed) } };
}

/** The configuration as a file would hold it: what {@link parseAppConfig} reads again. */
export function writtenConfig({
  train,
  engine,
  memory,
  deterministic,
  sinks,
  teachers,
  warmStart,
  ...config
}: AppConfig): Readonly<Record<string, unknown>> {
  // Memory has no effect on a server.
  const where = engine === null ? { memory } : { engine };
  return {
    ...config,
    ...where,
    // Left out where they change nothing: runs of before knew no such setting.
    ...(deterministic && { deterministic }),
    ...(warmStart && { warmStart }),
    ...(Object.keys(teachers).length > 0 && { teachers }),
    ...(!isDefaultSinks(sinks) && { sinks }),
    train,
  };
}
