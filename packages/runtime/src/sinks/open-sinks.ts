import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { MetricSink } from "@laconic/trainer";
import { secretsIn, tensorBoardSink, wandbSink, withoutSecrets } from "@laconic/trainer/sinks";
import { isReference, referenceTitle } from "../resolver/reference.ts";
import { resolveReference } from "../resolver/resolve.ts";
import type { OwnSinkPlace, SinkSetting } from "./sink-setting.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the sinks of a run. They receive no secret of the environment.
 * @throws LaconicError `config_invalid` for a user's value that is not a sink
 */
export async function openSinks(
  settings: readonly SinkSetting[],
  directory: string,
  environment: Environment = process.env,
): Promise<MetricSink[]> {
  const secrets = secretsIn(environment);
  return Promise.all(
    settings.map(async (setting) => {
      const sink = await openSink(setting, directory, environment);
      return withoutSecrets(sink, secrets, isReference(setting) ? referenceTitle(setting) : undefined);
    }),
  );
}

async function openSink(setting: SinkSetting, directory: string, environment: Environment): Promise<MetricSink> {
  if (isReference(setting)) {
    const place: OwnSinkPlace = { directory };
    return (await resolveReference(setting, "sink", place)) as MetricSink;
  }
  const wallTime = (): number => new Date().getTime() / 1000;
  if (setting === "tensorboard") return tensorBoardSink({ directory: join(directory, "tensorboard"), wallTime });
  const { project, entity = environment["WANDB_ENTITY"] } = setting === "wandb" ? {} : setting.wandb;
  return wandbSink({
    directory: join(directory, "wandb"),
    project: project ?? environment["WANDB_PROJECT"] ?? "laconic",
    ...(entity !== undefined && { entity }),
    newId: () => randomUUID().replaceAll("-", "").slice(0, 8),
    wallTime,
  });
}
