import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { shellWord } from "@laconic/core/text";
import { mlflowSink, secretsIn, tensorBoardSink, trackioSink, wandbSink, withoutSecrets } from "@laconic/sinks";
import type { MetricSink } from "@laconic/trainer";
import { isReference, referenceTitle } from "../resolver/reference.ts";
import { resolveReference } from "../resolver/resolve.ts";
import type { OwnSinkPlace, SinkSetting } from "./sink-setting.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the sinks of several runs go under by default. */
const project = "laconic";

/**
 * The sinks of a run, which hear no secret of the environment.
 * @throws LaconicError `config_invalid` for a server that is nowhere named, and for a value of the user's own that is no sink
 */
export async function openSinks(
  settings: readonly SinkSetting[],
  directory: string,
  environment: Environment = process.env,
): Promise<MetricSink[]> {
  const secrets = secretsIn(environment);
  return Promise.all(
    settings.map(async (setting, i) => {
      const sink = await openSink(setting, `sinks.${i}`, directory, environment);
      return withoutSecrets(sink, secrets, isReference(setting) ? referenceTitle(setting) : undefined);
    }),
  );
}

async function openSink(
  setting: SinkSetting,
  key: string,
  directory: string,
  environment: Environment,
): Promise<MetricSink> {
  if (isReference(setting)) {
    const place: OwnSinkPlace = { directory };
    return (await resolveReference(setting, "sink", place)) as MetricSink;
  }
  const [name = "", own = {}] = typeof setting === "string" ? [setting] : (Object.entries(setting)[0] ?? []);
  const given = own as {
    readonly url?: string;
    readonly project?: string;
    readonly entity?: string;
    readonly experiment?: string;
  };
  const later = `send it with: laconic send ${shellWord(directory)} ${name}`;
  const seconds = (): number => new Date().getTime() / 1000;
  const newId = (): string => randomUUID().replaceAll("-", "").slice(0, 8);
  const serverOf = (variable: string): string => {
    const url = given.url ?? environment[variable] ?? "";
    if (/^https?:\/\//u.test(url)) return url;
    const reason = url === "" ? "has no server" : "sends to servers, by http or https";
    throw new LaconicError("config_invalid", `${key}: ${name} ${reason}; set ${variable}, or { ${name}: { url } }`, {
      key,
    });
  };
  switch (name) {
    case "tensorboard":
      return tensorBoardSink({ directory: join(directory, "tensorboard"), wallTime: seconds });
    case "wandb": {
      const entity = given.entity ?? environment["WANDB_ENTITY"];
      return wandbSink({
        directory: join(directory, "wandb"),
        project: given.project ?? environment["WANDB_PROJECT"] ?? project,
        ...(entity !== undefined && { entity }),
        newId,
        wallTime: seconds,
      });
    }
    case "trackio": {
      const [writeToken, hfToken] = [environment["TRACKIO_WRITE_TOKEN"], environment["HF_TOKEN"]];
      const sink = trackioSink({
        url: serverOf("TRACKIO_SERVER_URL"),
        project: given.project ?? environment["TRACKIO_PROJECT"] ?? project,
        ...(writeToken !== undefined && { writeToken }),
        // An access token of the Hub goes to the Hub's Spaces alone.
        ...(hfToken !== undefined && isSpace(serverOf("TRACKIO_SERVER_URL")) && { hfToken }),
        newId,
      });
      return { ...sink, later };
    }
    default: {
      const sink = mlflowSink({
        url: serverOf("MLFLOW_TRACKING_URI"),
        experiment: given.experiment ?? environment["MLFLOW_EXPERIMENT_NAME"] ?? project,
        headers: mlflowHeaders(environment),
        wallTime: () => new Date().getTime(),
      });
      return { ...sink, later };
    }
  }
}

function isSpace(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" && hostname.endsWith(".hf.space");
}

/** As MLflow's own clients read them. */
function mlflowHeaders(environment: Environment): Record<string, string> {
  const [token, user] = [environment["MLFLOW_TRACKING_TOKEN"], environment["MLFLOW_TRACKING_USERNAME"]];
  if (user !== undefined) {
    const pair = Buffer.from(`${user}:${environment["MLFLOW_TRACKING_PASSWORD"] ?? ""}`).toString("base64");
    return { authorization: `Basic ${pair}` };
  }
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
