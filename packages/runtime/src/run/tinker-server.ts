import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, present, refuseSetting, type Engine } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { readJsonFile } from "@laconic/engine";
import {
  fileJournal,
  protobufCodec,
  serverRecord,
  TinkerClient,
  tinkerEngine,
  type ServerRecord,
  type TinkerClientOptions,
} from "@laconic/tinker";
import { probeServer } from "@laconic/tinker/testing";
import { runFiles } from "@laconic/trainer";
import { environmentValue } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";
import type { TinkerSettings } from "./server-settings.ts";

export interface TinkerServer {
  readonly kind: "tinker";
  readonly settings: TinkerSettings & { readonly model: string };
  readonly record: ServerRecord;
  /** @param journal - file for numbered requests. Default: none */
  open(
    limits: TokenLimits,
    options: { readonly journal?: string; readonly onWarning: (text: string) => void },
  ): Promise<Engine>;
}

/** Limits that the protocol does not report. */
interface TokenLimits {
  /** Upper bound of token ids. */
  readonly vocabularySize: number;
  /** Max tokens; null if unknown (the server may know). */
  readonly contextLength: number | null;
}

/**
 * Finds the base model and probes behaviour that the protocol leaves open.
 * @throws LaconicError `config_invalid` for an invalid address, or several models without a choice; `model_unsupported`
 * for a server unsuited to training; `api_*` for an unreachable one
 */
export async function probedServer(
  settings: TinkerSettings,
  vocabularySize: number | null,
  progress: Progress,
): Promise<TinkerServer> {
  const client = await TinkerClient.connect(clientOptions(settings, progress));
  try {
    const { supported_models } = await client.capabilities();
    const names = supported_models.map(({ model_name }) => model_name);
    const model = settings.model ?? (names.length === 1 ? names[0] : undefined);
    if (model === undefined)
      refuseSetting(
        "engine",
        `${settings.url} has ${names.length === 0 ? "no list of models" : `several models: ${names.join(", ")}`}; name one, tinker:MODEL@${settings.url}`,
      );
    const onQuestion = (text: string): void => progress.note(`probing ${settings.url}: ${text}`);
    const record = await probeServer(client, { baseModel: model, onQuestion, ...present({ vocabularySize }) });
    if (record.optimizer === "own")
      progress.note(
        "the server has its own optimizer: beta1, beta2, epsilon and weightDecay of train.optimizer have no effect; set them at its start",
      );
    if (record.clipsItself) progress.note("the server clips gradients at its own norm and ignores maxGradNorm");
    return serverOf({ ...settings, model }, record, progress);
  } finally {
    client.close();
  }
}

/** Server with the run's probe record, not for training. @throws LaconicError `checkpoint_mismatch` without a record */
export async function storedServer(
  settings: TinkerSettings,
  directory: string,
  progress: Progress,
): Promise<TinkerServer> {
  const file = join(directory, runFiles.environment);
  const environment = parseJson(await readFile(file, "utf8"), file) as { readonly server?: unknown };
  const { data: record, error } = serverRecord.safeParse(environment.server);
  if (!record) throw new LaconicError("checkpoint_mismatch", `${file}: server is not a probe record`, { file }, error);
  return serverOf({ ...settings, model: record.baseModel }, record, progress);
}

function serverOf(settings: TinkerServer["settings"], record: ServerRecord, progress: Progress): TinkerServer {
  return {
    kind: "tinker",
    settings,
    record,
    async open({ vocabularySize, contextLength }, { journal, onWarning }) {
      const { loraAlpha, sequencesPerRequest, gradientCeiling, samplerTtlSeconds } = settings;
      const client = await TinkerClient.connect({
        ...clientOptions(settings, progress),
        deduplicates: record.deduplicates,
        ...(journal !== undefined && { journal: fileJournal(journal) }),
        onSilence: (error) => onWarning(`${settings.url}: heartbeat failed: ${error.message}`),
      });
      const options = { contextLength, loraAlpha, sequencesPerRequest, gradientCeiling, samplerTtlSeconds };
      return tinkerEngine({ client, record, vocabularySize, ...present(options) });
    },
  };
}

function clientOptions(
  { url, allowPlainHttp, deadlineSeconds, samplesAtOnce, wire }: TinkerSettings,
  progress: Progress,
): TinkerClientOptions {
  const apiKey = environmentValue("TINKER_API_KEY");
  return {
    baseUrl: url,
    tags: ["laconic"],
    ...present({ apiKey, allowPlainHttp, samplesAtOnce }),
    ...(wire === "protobuf" && { codec: protobufCodec }),
    ...(deadlineSeconds !== undefined && { deadlineMs: 1000 * deadlineSeconds }),
    onRetry: ({ attempt, reason }) => progress.retry(attempt, reason),
  };
}

/** Server behaviour, a line per property. */
export function recordLines(record: ServerRecord): string[] {
  return Object.entries(recordInputs(record)).map(([key, value]) => `  ${key}: ${value}`);
}

export const serverPrefix = "server ";

/** Server behaviour as run inputs, so that a resume with other behaviour is refused. */
export function recordInputs({ reduction, ...record }: ServerRecord): Record<string, string> {
  const flat = { ...record, "loss over sequences": reduction.sequences, "loss over positions": reduction.positions };
  return Object.fromEntries(Object.entries(flat).map(([key, value]) => [`${serverPrefix}${key}`, String(value)]));
}

export async function tokenLimits(folder: string): Promise<TokenLimits> {
  const file = join(folder, "config.json");
  const config = (await readJsonFile(file)) as Record<string, unknown>;
  const text = (typeof config["text_config"] === "object" ? config["text_config"] : config) as Record<string, unknown>;
  const count = (key: string): number | null => {
    const match = text[key];
    return typeof match === "number" && Number.isInteger(match) && match > 0 ? match : null;
  };
  const vocabularySize = count("vocab_size");
  if (vocabularySize === null) refuseSetting("model", `${file} has no vocab_size`, { file });
  return { vocabularySize, contextLength: count("max_position_embeddings") };
}
