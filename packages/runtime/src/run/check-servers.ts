import { refuseSetting, type UnknownRecord } from "@laconic/core";
import { checkSampling, samplingCuts } from "@laconic/core/backends";
import type { ImportanceOptions } from "@laconic/gspo";
import { objectivePreset } from "@laconic/gspo/presets";
import { tinkerSampling, type ServerRecord } from "@laconic/tinker";
import { evaluationSampling } from "@laconic/trainer";
import { isReference } from "../resolver/reference.ts";
import type { AppConfig } from "./run-settings.ts";
import { serverKinds, serversOf, type SamplerSettings } from "./server-settings.ts";

type Settings = Omit<AppConfig, "task" | "sinks" | "warmStart">;

/** Refuses settings that a remote engine ignores. @param written - names of the written settings */
export function checkRemoteSettings(
  { engine, lora, bases, teachers, actor, device, devices, workers, train }: Settings,
  written: readonly string[],
): void {
  if (engine === null) return;
  const { loraAlpha = 32 } = engine.tinker;
  const unused = "has no effect: the models are on the server";
  if (device !== "auto") refuseSetting("device", `${unused}; set it to auto`);
  if (Object.keys(devices).length > 0) refuseSetting("devices", `${unused}; remove it`);
  if (workers !== "auto") refuseSetting("workers", `${unused}; set it to auto`);
  if (written.includes("memory")) refuseSetting("memory", `${unused}; remove it`);
  if (lora === null)
    refuseSetting("lora", `the server trains adapters: set lora.rank, and lora.alpha to its scale, ${loraAlpha}`);
  if (lora.alpha !== loraAlpha)
    refuseSetting(
      "lora.alpha",
      `is ${lora.alpha}, but the server uses ${loraAlpha}; if it has another, set engine.tinker.loraAlpha`,
    );
  const { rank: _, alpha: __, ...others } = lora;
  const [other] = Object.keys(others);
  if (other !== undefined) refuseSetting(`lora.${other}`, "is not part of the protocol; remove it");
  for (const [setting, models] of Object.entries({ bases, teachers }))
    for (const name of Object.keys(models))
      refuseSetting(`${setting}.${name}`, "a remote engine has one base model; remove it");
  if (actor !== null && !isReference(actor) && "model" in actor)
    refuseSetting("actor.model", "a remote engine has one base model; use actor.api, or null for the run's model");
  if (train.opponents)
    refuseSetting("train.opponents", "past selves are not supported on servers; compute here, or remove it");
  const sampling = evaluationSampling(train);
  const { temperature } = sampling;
  if (temperature !== 1)
    refuseSetting("train.sampling.temperature", `is ${temperature}; the protocol has log-probs at temperature 1 only`);
  checkSampling(sampling, tinkerSampling, { place: "train.sampling" });
}

/** Refuses settings that a probed server does not support. @param models - number of concurrent adapters */
export function checkAgainstServer({ train }: Pick<AppConfig, "train">, record: ServerRecord, models: number): void {
  const { maxGradNorm } = train.optimizer;
  if (maxGradNorm !== null && !record.clips)
    refuseSetting(
      "train.optimizer.maxGradNorm",
      `is ${maxGradNorm}, but the server does not clip gradients; set it to null, and engine.tinker.gradientCeiling to stop a diverging run`,
    );
  if (models > 1 && !record.severalModels)
    refuseSetting(
      "policies",
      `the run has ${models} models, but the server trains one; use shared policies, or actor.api`,
    );
  const snapshots = [
    ["train.asynchronous", train.asynchronous !== null],
    ["train.refreshOldPolicyEvery", train.refreshOldPolicyEvery > 1],
    ["train.objective.kl", hasReference(train.objective)],
    ...Object.entries(train.policies).map(
      ([name, { objective }]) => [`train.policies.${name}.objective.kl`, hasReference(objective)] as const,
    ),
  ] as const;
  const [needing] = snapshots.find(([, needs]) => needs) ?? [];
  if (needing === undefined) return;
  if (record.samplers === "live")
    refuseSetting(needing, "needs weights of an earlier step, but the server's samplers follow their model");
  if (record.promptLogProbs === "none")
    refuseSetting(needing, "needs log-probs under weights of an earlier step, which the server does not give");
}

function hasReference(objective: object | undefined): boolean {
  return objective !== undefined && "kl" in objective && objective.kl !== undefined;
}

/** Importance weights, applied in steps with a mean gap above 0.02, as with bfloat16 servers. */
const gapCorrection: ImportanceOptions = { kind: "truncate", level: "geometric", cap: 2, gapAbove: 0.02 };

export function checkSamplerSettings({ sampler, engine, lora, bases, policies, train }: Settings): void {
  if (sampler === null) return;
  const { kind, urls, folder, folderAtServers, receivers, logProbs = "server", sleeps = false } = serversOf(sampler);
  if (engine !== null) refuseSetting("sampler", "has no effect with engine, which samples too; remove one of them");
  if (train.opponents)
    refuseSetting("train.opponents", "the servers have only the newest weights, not an opponent's; sample here");
  const location = `sampler.${kind}`;
  const { title, reportsUncut, canSleep } = serverKinds[kind];
  const far = urls.find((url) => !isHere(url));
  if (receivers && receivers.length !== urls.length)
    refuseSetting(
      `${location}.receivers`,
      `${receivers.length} for ${urls.length} servers; give one per URL, and repeat it for servers that share a disk`,
    );
  if (receivers && folderAtServers !== undefined)
    refuseSetting(`${location}.folderAtServers`, "has no effect with receivers; remove it");
  if (far !== undefined && folder === undefined && !receivers)
    refuseSetting(
      `${location}.folder`,
      `${far} is another machine: set a folder shared with this machine for the weights, or receivers that take them over HTTP`,
    );
  if (sleeps && !canSleep)
    refuseSetting(`${location}.sleeps`, `${title} does not report whether it sleeps; remove it, or use vllm`);
  if (sleeps && train.asynchronous)
    refuseSetting(`${location}.sleeps`, "the servers have no pause in an asynchronous run; remove it");
  const [base] = Object.keys(bases);
  if (base !== undefined) refuseSetting(`bases.${base}`, "the servers have one base model; remove it");
  if (lora === null) {
    const whole = `and ${title} holds one version of all weights: train an adapter (lora)`;
    if (train.asynchronous) refuseSetting("train.asynchronous", `needs weights of several steps, ${whole}`);
    if (train.refreshOldPolicyEvery > 1)
      refuseSetting("train.refreshOldPolicyEvery", `needs weights of an earlier step, ${whole}`);
    if (policies === "own") refuseSetting("policies", `own has several policies, ${whole}`);
  }
  const [cut] = samplingCuts(evaluationSampling(train));
  if (!reportsUncut && logProbs === "server" && cut !== undefined)
    refuseSetting(
      `train.sampling.${cut}`,
      `truncates the distribution, and ${title} returns log-probs after truncation; set ${location}.logProbs to forward`,
    );
}

/** Adds importance weights for a large gap between sampler and trainer, unless `importance` is set. */
export function withGapCorrection(train: UnknownRecord, sampler: SamplerSettings | null): UnknownRecord {
  const { objective = {}, asynchronous = null, oldLogProbs = "recompute" } = train;
  // Stale samples are weighted anyway; the sampler's log-probs have no gap.
  if (sampler === null || asynchronous !== null || oldLogProbs !== "recompute") return train;
  if (typeof objective !== "object" || objective === null || "importance" in objective) return train;
  const { name = "gspo", ...options } = objective as UnknownRecord;
  if (!takesImportance(name, options)) return train;
  return { ...train, objective: { name, ...options, importance: gapCorrection } };
}

function takesImportance(name: unknown, options: UnknownRecord): boolean {
  try {
    objectivePreset(name as Parameters<typeof objectivePreset>[0], { ...options, importance: gapCorrection });
    return true;
  } catch {
    return false; // reported with the objective
  }
}

function isHere(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(host);
}
