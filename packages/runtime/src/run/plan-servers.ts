import { adapterShapes, elementCount, parameterShapes, type ModelConfig } from "@laconic/engine";
import { formatBytes, formatNumber } from "@laconic/core/text";
import { configError } from "@laconic/core";
import { datum, jsonCodec } from "@laconic/tinker";
import { needsOldPass } from "@laconic/trainer";
import { planEpisode } from "./plan-episode.ts";
import type { AppConfig } from "./run-settings.ts";
import { serverKinds, samplerTitle, serversOf, remoteTitle, type RemoteSettings } from "./server-settings.ts";
import { plannedOutline } from "./run-task.ts";
import { tokenLimits } from "./tinker-server.ts";

export interface FleetPlan {
  readonly sampler: string;
  readonly servers: number;
  /** Float32 bytes of weights per version. */
  readonly bytesPerVersion: number;
  readonly versionsAtOnce: number;
  /** Max weight transfers. */
  readonly publications: number;
  readonly repliesPerServer: number;
  readonly start: string;
}

export function planFleet(
  { sampler, lora, train }: AppConfig,
  model: ModelConfig,
  replies: number,
  policies: number,
): FleetPlan | null {
  if (sampler === null) return null;
  const { kind, urls, sleeps = false } = serversOf(sampler);
  const shapes = lora ? adapterShapes(model, lora) : parameterShapes(model);
  // Versions still in use, and the next one.
  const perPolicy = (train.asynchronous?.maxLag ?? 0) + (train.refreshOldPolicyEvery > 1 ? 2 : 1) + 1;
  const versionsAtOnce = lora ? policies * perPolicy : 1;
  const evaluations = train.evaluation.every === 0 ? 2 : 2 + Math.floor(train.steps / train.evaluation.every);
  return {
    sampler: samplerTitle(sampler),
    servers: urls.length,
    bytesPerVersion: 4 * elementCount(shapes),
    versionsAtOnce,
    publications: policies * (Math.ceil(train.steps / train.refreshOldPolicyEvery) + evaluations - 1),
    repliesPerServer: Math.ceil(replies / urls.length),
    start: serverKinds[kind].start(lora, versionsAtOnce, sleeps),
  };
}

export function describeFleet(plan: FleetPlan): string {
  const { sampler, servers, bytesPerVersion, versionsAtOnce, publications, repliesPerServer, start } = plan;
  return [
    `sampled on ${sampler}: ${repliesPerServer} replies per step on each of ${servers}; memory and time of sampling depend on the servers`,
    `${formatBytes(bytesPerVersion)} of weights per version, published up to ${publications} times; ${versionsAtOnce} at a time on each server`,
    `each server: ${start}`,
  ].join("\n");
}

interface RemotePlan extends PlannedLengths {
  readonly engine: string;
  readonly replies: number;
  readonly steps: number;
  readonly tokens: ByPurpose;
  /** JSON bytes per step; other content is a few hundred bytes per request. */
  readonly bytes: ByPurpose;
}

type ByPurpose = Readonly<Record<"sampling" | "forward" | "gradient", number>>;

interface PlannedLengths {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type GivenLengths = { readonly [Name in keyof PlannedLengths]: PlannedLengths[Name] | null };

/** Max planned tokens of a prompt, and of a reply whose limit is unknown. */
const maxPlannedTokens = 1024;

/**
 * Lengths of planned sequences. Default: the task's longest reply within the context, and a prompt in the rest.
 * @param maxTokens - of a reply; null if unknown
 * @param positions - of the model; null if unknown
 * @throws LaconicError `config_invalid` for sequences that are too long
 */
export function plannedLengths(
  { promptTokens, completionTokens }: GivenLengths,
  maxTokens: number | null,
  positions: number | null,
): PlannedLengths {
  const half = Math.floor((positions ?? 2 * maxPlannedTokens) / 2);
  const completion = completionTokens ?? Math.min(half, maxTokens ?? maxPlannedTokens);
  const prompt = Math.min(maxPlannedTokens, positions === null ? Infinity : Math.max(1, positions - completion));
  const lengths = { promptTokens: promptTokens ?? prompt, completionTokens: completion };
  if (positions === null || lengths.promptTokens + lengths.completionTokens <= positions) return lengths;
  throw configError(
    `${lengths.promptTokens} prompt and ${lengths.completionTokens} completion tokens exceed the model's ${positions} positions`,
  );
}

/** @param trainedCalls - of an episode */
export function plannedReplies({ train }: Pick<AppConfig, "train">, trainedCalls: number): number {
  return train.problemsPerStep * train.episodesPerProblem * trainedCalls;
}

/** Counts bytes by writing requests of that size. */
export async function planRemote(
  config: AppConfig,
  engine: RemoteSettings,
  folder: string,
  givenLengths: GivenLengths,
): Promise<RemotePlan> {
  const { vocabularySize, contextLength } = await tokenLimits(folder);
  const { train } = config;
  const task = await plannedOutline(config, folder);
  const { waves, maxTokens } = await planEpisode(task);
  const trained = task.trainedAgents ?? task.topology.agents;
  const replies = plannedReplies(config, waves.flat().filter((agent) => trained.includes(agent)).length);
  const { promptTokens, completionTokens } = plannedLengths(givenLengths, maxTokens, contextLength);
  const length = promptTokens + completionTokens;
  // The old policy's pass if needed, and one before each gradient.
  const passes = (needsOldPass(train) ? 1 : 0) + train.epochs * (train.ratioUnit === "message" ? 1 : 2);
  const sizes = bytesOf(promptTokens, completionTokens, vocabularySize);
  return {
    engine: remoteTitle(engine),
    replies,
    steps: train.steps,
    promptTokens,
    completionTokens,
    tokens: {
      sampling: replies * length,
      forward: passes * replies * length,
      gradient: train.epochs * replies * length,
    },
    bytes: {
      sampling: replies * sizes.sampling,
      forward: passes * replies * sizes.forward,
      gradient: train.epochs * replies * sizes.gradient,
    },
  };
}

function bytesOf(promptTokens: number, completionTokens: number, vocabularySize: number): ByPurpose {
  const length = promptTokens + completionTokens;
  const tokens = Array.from({ length }, (_, i) => (i * 7919) % vocabularySize);
  // Max digits of float32 and float64.
  const [floats, doubles] = [Math.fround(-Math.PI), -Math.PI].map((value) => new Float64Array(length - 1).fill(value));
  const size = (body: object): number => jsonCodec.request("forward_backward", body).body.length;
  const reply = { loss_fn_outputs: [{ logprobs: { data: Array.from(floats as Float64Array), dtype: "float32" } }] };
  const weights = new Float64Array(length - 1).fill(1, promptTokens - 1);
  const gradient = { logprobs: floats as Float64Array, advantages: doubles as Float64Array };
  const logProbs = Array.from({ length: completionTokens }, () => (floats as Float64Array)[0]!);
  return {
    sampling: size(tokens.slice(0, promptTokens)) + size(tokens.slice(promptTokens)) + size(logProbs),
    forward: size(datum(tokens, { weights })) + size(reply),
    gradient: size(datum(tokens, gradient)) + size(reply),
  };
}

/** A plan on servers as text. */
export function describeRemote(plan: RemotePlan): string {
  const { engine, replies, steps, promptTokens, completionTokens, tokens, bytes } = plan;
  const row = (name: string, read: number, sent: number): string =>
    `${name.padEnd(20)}${formatNumber(read).padStart(12)}${formatBytes(sent).padStart(12)}`;
  const sum = (parts: ByPurpose): number => parts.sampling + parts.forward + parts.gradient;
  return [
    `on ${engine}: memory and time depend on the server`,
    `sequences of ${promptTokens} + ${completionTokens} tokens; ${replies} replies per step, ${steps} steps`,
    "",
    `${"each step".padEnd(20)}${"tokens".padStart(12)}${"transferred".padStart(12)}`,
    row("sampling", tokens.sampling, bytes.sampling),
    row("forward passes", tokens.forward, bytes.forward),
    row("gradients", tokens.gradient, bytes.gradient),
    row("in all", sum(tokens), sum(bytes)),
    `${steps} steps: ${formatNumber(steps * sum(tokens))} tokens, ${formatBytes(steps * sum(bytes))} transferred, evaluations not counted`,
  ].join("\n");
}
