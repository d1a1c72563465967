import { LaconicError } from "@laconic/core";
import { checkSampling } from "@laconic/core/backends";
import { evaluationSampling } from "@laconic/trainer";
import { tinkerSampling, type ServerRecord } from "@laconic/tinker";
import type { AppConfig } from "../run-settings.ts";
import { isReference } from "../../resolver/reference.ts";

type Settings = Pick<AppConfig, "engine" | "lora" | "bases" | "teachers" | "actor" | "device" | "workers" | "train">;

function refusal(key: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `${key}: ${reason}`, { key });
}

/**
 * Refuses settings that a remote engine does not act on, before anything is opened.
 * @param written - names of the settings that were written
 * @throws LaconicError `config_invalid` naming the key, and what to write instead
 */
export function checkRemoteSettings(
  { engine, lora, bases, teachers, actor, device, workers, train }: Settings,
  written: readonly string[],
): void {
  if (engine === null) return;
  const { loraAlpha = 32 } = engine.tinker;
  if (device !== "auto") throw refusal("device", "has no effect: the models are on the server; set it to auto");
  if (workers !== "auto") throw refusal("workers", "has no effect: the models are on the server; set it to auto");
  if (written.includes("memory")) throw refusal("memory", "has no effect: the models are on the server; remove it");
  if (lora === null)
    throw refusal("lora", `the server trains adapters: set lora.rank, and lora.alpha to its scale, ${loraAlpha}`);
  if (lora.alpha !== loraAlpha)
    throw refusal(
      "lora.alpha",
      `is ${lora.alpha}, the server's is ${loraAlpha} and has no field on the wire; engine.tinker.loraAlpha says another`,
    );
  const { rank: _, alpha: __, ...others } = lora;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refusal(`lora.${other}`, "has no field on the wire; remove it");
  const [base] = Object.keys(bases);
  if (base !== undefined) throw refusal(`bases.${base}`, "a remote engine has one base model; remove it");
  const [teacher] = Object.keys(teachers);
  if (teacher !== undefined) throw refusal(`teachers.${teacher}`, "a remote engine has one base model; remove it");
  if (actor !== null && !isReference(actor) && "model" in actor)
    throw refusal("actor.model", "a remote engine has one base model; use actor.api, or null for the run's own");
  if (train.opponents)
    throw refusal("train.opponents", "a server keeps no past selves for us yet; compute here, or remove it");
  const sampling = evaluationSampling(train);
  const { temperature } = sampling;
  if (temperature !== 1)
    throw refusal("train.sampling.temperature", `is ${temperature}; the wire has log-probs at temperature 1 only`);
  checkSampling(sampling, tinkerSampling, { place: "train.sampling" });
}

/**
 * Refuses settings that this server cannot do, once it was probed.
 * @param models - adapters that the run has at a time
 * @throws LaconicError `config_invalid` naming the key, and what to write instead
 */
export function checkAgainstServer({ train }: Pick<AppConfig, "train">, record: ServerRecord, models: number): void {
  const { maxGradNorm } = train.optimizer;
  if (maxGradNorm !== null && !record.clips)
    throw refusal(
      "train.optimizer.maxGradNorm",
      `is ${maxGradNorm}, but the server does not clip gradients; set it to null, and engine.tinker.gradientCeiling to end a run that leaves the road`,
    );
  if (models > 1 && !record.severalModels)
    throw refusal(
      "policies",
      `this run has ${models} models at a time, the server trains one; share them, or use actor.api`,
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
    throw refusal(needing, "needs weights of an earlier step, but the server's samplers follow their model");
  if (record.promptLogProbs === "none")
    throw refusal(needing, "needs log-probs under weights of an earlier step, which the server does not give");
}

function hasReference(objective: object | undefined): boolean {
  return objective !== undefined && "kl" in objective && objective.kl !== undefined;
}
