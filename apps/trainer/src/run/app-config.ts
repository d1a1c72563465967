import { LaconicError, nearestName } from "@laconic/core";
import { taskSettingsSchema } from "@laconic/tasks/named";
import { parseTrainConfig } from "@laconic/trainer";
import { z } from "zod";
import { checkEffects } from "./check-effects.ts";
import type { AppConfig, MemorySettings } from "./run-settings.ts";

/** As written: `train` is partial and filled with defaults. */
interface WrittenConfig extends Omit<AppConfig, "train" | "memory"> {
  readonly memory: { readonly [K in keyof MemorySettings]?: MemorySettings[K] };
  readonly train: Readonly<Record<string, unknown>>;
}

const defaultMemory: MemorySettings = { maxTokensPerMicroBatch: 16_384, recompute: "none" };

const defaults: WrittenConfig = {
  task: { name: "relay", level: "one-fact" },
  model: "shipped",
  actor: null,
  policies: "shared",
  bases: {},
  chatTemplateArguments: {},
  lora: null,
  device: "auto",
  workers: "auto",
  memory: {},
  train: {},
};

const writtenSchema: z.ZodType<WrittenConfig> = z.strictObject({
  task: taskSettingsSchema,
  model: z.string().min(1),
  actor: z
    .union([
      z.strictObject({ model: z.string().min(1) }),
      z.strictObject({
        api: z.strictObject({
          model: z.string().min(1),
          baseUrl: z.string().min(1),
          concurrency: z.int().min(1).exactOptional(),
        }),
      }),
    ])
    .nullable(),
  policies: z.enum(["shared", "own"]),
  bases: z.record(z.string(), z.string().min(1)),
  chatTemplateArguments: z.record(z.string(), z.json()),
  lora: z
    .strictObject({
      rank: z.int().min(1),
      alpha: z.number().positive(),
      targets: z.array(z.string()).min(1).exactOptional(),
      dropout: z.number().min(0).lt(1).exactOptional(),
      rankStabilized: z.boolean().exactOptional(),
    })
    .nullable(),
  device: z.string().min(1),
  workers: z.union([z.literal("auto"), z.int().min(1).max(64)]),
  memory: z.strictObject({
    maxTokensPerMicroBatch: z.int().min(1).exactOptional(),
    recompute: z.enum(["none", "layer"]).exactOptional(),
  }),
  train: z.record(z.string(), z.unknown()),
});

/**
 * Checks a configuration and fills in what it leaves out.
 * @throws LaconicError `config_invalid` naming the key, with the nearest known one for a key that does not exist, and for one
 * without effect; `device_unavailable` for a device that does not exist.
 */
export function parseAppConfig(written: unknown): AppConfig {
  if (typeof written !== "object" || written === null || Array.isArray(written))
    throw new LaconicError("config_invalid", "the configuration is not an object");
  for (const key of Object.keys(written))
    if (!Object.hasOwn(defaults, key)) {
      const near = nearestName(key, Object.keys(defaults));
      throw new LaconicError(
        "config_invalid",
        `${key}: there is no such setting${near === undefined ? `; known: ${Object.keys(defaults).join(", ")}` : `; did you mean ${near}?`}`,
        { key },
      );
    }
  const parsed = writtenSchema.safeParse({ ...defaults, ...written });
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    throw new LaconicError("config_invalid", `${issue.path.join(".")}: ${issue.message}`, {
      key: issue.path.join("."),
    });
  }
  checkEffects(parsed.data);
  return {
    ...parsed.data,
    memory: { ...defaultMemory, ...parsed.data.memory },
    train: parseTrainConfig(parsed.data.train, ["train"]),
  };
}
