import { adapterShapes, parameterShapes, parseModelConfig, readJsonFile } from "@laconic/engine";
import { join } from "node:path";
import { formatBytes } from "@laconic/core/text";
import type { AppConfig } from "../run-settings.ts";
import { serverKinds } from "./server-kinds.ts";
import { samplerTitle, serversOf } from "./fleet-setting.ts";

/** What sampling on servers takes. How fast they are is theirs to say. */
export interface FleetPlan {
  readonly sampler: string;
  readonly servers: number;
  /** Of the weights that are handed over with each version, in float32. */
  readonly bytesPerVersion: number;
  /** Versions of all policies that a server has to hold at once. */
  readonly versionsAtOnce: number;
  /** Times that weights are handed over in the run. */
  readonly publications: number;
  /** Replies of a step that one server gives, if they share evenly. */
  readonly repliesPerServer: number;
  /** How each server is to be started. */
  readonly start: string;
}

/** Null for a run that samples where it trains. */
export async function planFleet(
  config: AppConfig,
  folder: string,
  replies: number,
  policies: number,
): Promise<FleetPlan | null> {
  const { sampler, lora, train } = config;
  if (sampler === null) return null;
  const { kind, urls } = serversOf(sampler);
  const model = parseModelConfig(await readJsonFile(join(folder, "config.json")));
  const shapes = lora ? adapterShapes(model, lora) : parameterShapes(model);
  let elements = 0;
  for (const shape of shapes.values()) elements += shape.reduce((product, size) => product * size, 1);
  // Those that are still sampled, and the one that takes their place.
  const perPolicy = (train.asynchronous?.maxLag ?? 0) + (train.refreshOldPolicyEvery > 1 ? 2 : 1) + 1;
  const versionsAtOnce = lora ? policies * perPolicy : 1;
  const evaluations = train.evaluation.every === 0 ? 2 : 2 + Math.floor(train.steps / train.evaluation.every);
  return {
    sampler: samplerTitle(sampler),
    servers: urls.length,
    bytesPerVersion: 4 * elements,
    versionsAtOnce,
    publications: policies * (Math.ceil(train.steps / train.refreshOldPolicyEvery) + evaluations - 1),
    repliesPerServer: Math.ceil(replies / urls.length),
    start: serverKinds[kind].start(lora, versionsAtOnce),
  };
}

/** For people. */
export function describeFleet(plan: FleetPlan): string {
  const { sampler, servers, bytesPerVersion, versionsAtOnce, publications, repliesPerServer, start } = plan;
  return [
    `sampled on ${sampler}: ${repliesPerServer} replies a step on each of ${servers}; memory and time of sampling are theirs to say`,
    `${formatBytes(bytesPerVersion)} of weights a version, handed over up to ${publications} times; ${versionsAtOnce} at once on each server`,
    `each server: ${start}`,
  ].join("\n");
}
