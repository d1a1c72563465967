import { LaconicError } from "@laconic/core";
import { samplingCuts } from "@laconic/core/backends";
import { evaluationSampling } from "@laconic/trainer";
import { objectivePreset } from "@laconic/gspo/presets";
import type { ImportanceOptions } from "@laconic/gspo";
import type { AppConfig } from "../run-settings.ts";
import { serverKindNames, serverKinds } from "./server-kinds.ts";
import { serversOf, type SamplerSettings } from "./fleet-setting.ts";

type Settings = Pick<AppConfig, "sampler" | "engine" | "lora" | "bases" | "policies" | "train">;

/** Samples are weighed once servers are so far from the trainer, as bfloat16 is: the gap is measured in every step. */
const gapCorrection: ImportanceOptions = { kind: "truncate", level: "geometric", cap: 2, gapAbove: 0.02 };

const takingAll = serverKindNames
  .flatMap((kind) => (serverKinds[kind].takesAllWeights ? [serverKinds[kind].title] : []))
  .join(" or ");

function refusal(key: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `${key}: ${reason}`, { key });
}

/**
 * Refuses settings that servers which only sample cannot act on, before anything is opened.
 * @throws LaconicError `config_invalid` naming the key, and what to write instead
 */
export function checkSamplerSettings({ sampler, engine, lora, bases, policies, train }: Settings): void {
  if (sampler === null) return;
  const { kind, urls, folder, folderAtServers, receivers, logProbs = "server" } = serversOf(sampler);
  if (engine !== null) throw refusal("sampler", "has no effect beside engine, which samples too; remove one of them");
  if (train.opponents)
    throw refusal(
      "train.opponents",
      "the servers hold the newest weights, and an opponent is none of them; sample here",
    );
  const place = `sampler.${kind}`;
  const { title, takesAllWeights, reportsUncut } = serverKinds[kind];
  const far = urls.find((url) => !isHere(url));
  if (receivers && receivers.length !== urls.length)
    throw refusal(
      `${place}.receivers`,
      `${receivers.length} for ${urls.length} servers: name one for each of urls, the same twice where servers share a disk`,
    );
  if (receivers && folderAtServers !== undefined)
    throw refusal(`${place}.folderAtServers`, "has no effect beside receivers, which say where weights are; remove it");
  if (far !== undefined && folder === undefined && !receivers)
    throw refusal(
      `${place}.folder`,
      `${far} is another machine: name a folder that it and this machine share, where weights are handed over, or receivers that take them over HTTP`,
    );
  const [base] = Object.keys(bases);
  if (base !== undefined) throw refusal(`bases.${base}`, "the servers have one base model; remove it");
  if (lora === null) {
    if (!takesAllWeights)
      throw refusal("lora", `${title} takes adapters only: set lora.rank and lora.alpha, or sample on ${takingAll}`);
    const whole = `and ${title} holds one version of all weights: train an adapter (lora)`;
    if (train.asynchronous) throw refusal("train.asynchronous", `needs weights of several steps, ${whole}`);
    if (train.refreshOldPolicyEvery > 1)
      throw refusal("train.refreshOldPolicyEvery", `needs weights of an earlier step, ${whole}`);
    if (policies === "own") throw refusal("policies", `own is several policies, ${whole}`);
  }
  const [cut] = samplingCuts(evaluationSampling(train));
  if (!reportsUncut && logProbs === "server" && cut !== undefined)
    throw refusal(
      `train.sampling.${cut}`,
      `cuts the distribution, and ${title} tells the log-probs of what is left of it; set ${place}.logProbs to forward`,
    );
}

/**
 * Training settings with what the gap between sampler and trainer decides about, where servers sample and nothing was said of it:
 * samples are weighed where the gap is wide.
 */
export function withGapCorrection(
  train: Readonly<Record<string, unknown>>,
  sampler: SamplerSettings | null,
): Readonly<Record<string, unknown>> {
  const { objective = {}, asynchronous = null, oldLogProbs = "recompute" } = train;
  // Older samples are weighed anyway; the sampler's own log-probs leave nothing to weigh.
  if (sampler === null || asynchronous !== null || oldLogProbs !== "recompute") return train;
  if (typeof objective !== "object" || objective === null || "importance" in objective) return train;
  const { name = "gspo", ...options } = objective as Readonly<Record<string, unknown>>;
  if (!takesImportance(name, options)) return train;
  return { ...train, objective: { name, ...options, importance: gapCorrection } };
}

function takesImportance(name: unknown, options: Readonly<Record<string, unknown>>): boolean {
  try {
    objectivePreset(name as Parameters<typeof objectivePreset>[0], { ...options, importance: gapCorrection });
    return true;
  } catch {
    return false; // said where the objective is checked
  }
}

function isHere(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(host);
}
