import { join, resolve, basename, dirname } from "node:path";
import { configError, refuseSetting } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import { nodeFileSystem, runFiles, modelPlace, type OpponentSettings } from "@laconic/trainer";
import { defaultBaseUrl, namedModel } from "../spending/spending.ts";
import type { Progress } from "../progress.ts";
import { isModelName, openModelFolder } from "../models/model-folder.ts";
import {
  basesOf,
  modelSource,
  policiesOf,
  type ActorChoice,
  type OpponentRuns,
  type RunPolicy,
} from "./policy-models.ts";
import { findRun, opponentRole, runResources, type FoundRun } from "./open-run.ts";
import type { AppConfig } from "./run-settings.ts";
import { taskOutline } from "./run-task.ts";
import { expectWeightsHere } from "./server-settings.ts";

/**
 * Reads `hub:OWNER/NAME`, a model folder, a run, or `api:NAME@URL`.
 * @throws LaconicError `config_invalid` for a run with several policies, and the errors of opening a model
 */
export async function actorChoice(text: string, progress: Progress): Promise<ActorChoice> {
  if (text.startsWith("api:")) {
    const api = namedModel(text.slice("api:".length), defaultBaseUrl(), "actor");
    return { title: `api:${api.model}@${api.baseUrl}`, speaks: { api } };
  }
  if (await nodeFileSystem.exists(join(resolve(text), runFiles.manifest))) return policyOf(resolve(text), progress);
  const { folder, pinned } = await openModelFolder(text, progress);
  return { title: isModelName(text) ? pinned : folder, speaks: { model: pinned } };
}

async function policyOf(directory: string, progress: Progress): Promise<ActorChoice> {
  const { step, policies } = await runPolicies(directory, progress);
  const [only, ...others] = Object.values(policies);
  if (only === undefined || others.length > 0)
    throw configError(
      `--actor ${directory}: the run has separate policies (${Object.keys(policies).join(", ")}), but an actor is one model`,
      { directory },
    );
  const { source, tokenizer } = only;
  return { title: `${directory}, step ${step}`, speaks: { source, tokenizer } };
}

async function runPolicies(
  directory: string,
  progress: Progress,
): Promise<{ readonly step: number; readonly policies: Readonly<Record<string, RunPolicy>> }> {
  const foundRun = await findRun(directory);
  const { policies } = await policiesOfRun(foundRun, progress);
  return { step: foundRun.state.step, policies };
}

/** Task and policies of a checkpoint. @throws LaconicError `config_invalid` for weights stored on a server */
export async function policiesOfRun(
  { directory, config: stored, checkpoint, manifest }: FoundRun,
  progress: Progress,
  templateArguments: AppConfig["chatTemplateArguments"] = stored.chatTemplateArguments,
): Promise<{ readonly task: TeamTask; readonly policies: Readonly<Record<string, RunPolicy>> }> {
  const config = { ...stored, chatTemplateArguments: templateArguments };
  expectWeightsHere(config.engine, directory);
  const { modelFolder, openModel } = await runResources(config.model, progress);
  const task = await taskOutline(config, modelFolder);
  const names = policiesOf(config, task);
  const based = await basesOf(Object.keys(names), config, task, modelFolder, openModel);
  const policies: Record<string, RunPolicy> = {};
  for (const [name, { folder: base, tokenizer }] of Object.entries(based)) {
    const folder = join(checkpoint, modelPlace(manifest, name));
    const agents = names[name]!;
    policies[name] = { source: modelSource(config, base ?? "", folder), tokenizer, agents, folder };
  }
  return { task, policies };
}

type TokenizerOf = (agent: string) => TeamTask["tokenizer"] | Promise<TeamTask["tokenizer"]>;

/**
 * Finds opponent runs, without loading weights.
 * @param tokenizerOf - an agent's tokenizer; an opponent's must be equal
 * @throws LaconicError `config_invalid` for no run, an unknown policy, or another tokenizer
 */
export async function findOpponentRuns(
  { runs, sides }: Pick<OpponentSettings, "runs" | "sides">,
  tokenizerOf: TokenizerOf,
  progress: Progress,
  policiesIn: typeof runPolicies = runPolicies,
): Promise<OpponentRuns> {
  const match: Record<string, Record<string, RunPolicy>> = {};
  for (const name of runs) {
    const { directory, policy } = await placeOf(name);
    const { policies } = await policiesIn(directory, progress);
    const names = Object.keys(policies);
    if (policy !== undefined && !Object.hasOwn(policies, policy))
      refuseSetting("train.opponents.runs", `${directory} has no policy "${policy}"; it has ${names.join(", ")}`);
    const players: Record<string, RunPolicy> = {};
    for (const agent of sides.flat()) {
      const speaks = policy ?? names.find((text) => policies[text]?.agents.includes(agent)) ?? names[0] ?? "";
      if (policy === undefined && names.length > 1 && !policies[speaks]?.agents.includes(agent))
        refuseSetting(
          "train.opponents.runs",
          `${name} has the policies ${names.join(", ")}, but none for "${agent}"; choose one, such as ${name}/${names[0]}`,
        );
      const chosen = policies[speaks]!;
      if (!isSame(chosen.tokenizer, await tokenizerOf(agent)))
        refuseSetting(
          "train.opponents.runs",
          `${name} has another tokenizer than the agent "${agent}" of this run; use a run with the same tokenizer`,
        );
      players[agent] = chosen;
    }
    match[name] = players;
  }
  return match;
}

/** Policy folders by role, to check that they stay unchanged. */
export function opponentFolders(runs: OpponentRuns): Record<string, string> {
  return Object.fromEntries(
    Object.entries(runs).flatMap(([name, agents]) =>
      Object.entries(agents).map(([agent, { folder }]) => [`${opponentRole}${name} as ${agent}`, folder]),
    ),
  );
}

async function placeOf(name: string): Promise<{ readonly directory: string; readonly policy?: string }> {
  const whole = resolve(name);
  const isRun = (folder: string): Promise<boolean> => nodeFileSystem.exists(join(folder, runFiles.manifest));
  if (await isRun(whole)) return { directory: whole };
  if (await isRun(dirname(whole))) return { directory: dirname(whole), policy: basename(whole) };
  refuseSetting("train.opponents.runs", `${name} is neither a run folder nor RUN/POLICY`);
}

function isSame(one: TeamTask["tokenizer"], other: TeamTask["tokenizer"]): boolean {
  if (one === other) return true;
  if (one.vocabularySize !== other.vocabularySize) return false;
  for (let token = 0; token < one.vocabularySize; token++)
    if (one.decode([token]) !== other.decode([token])) return false;
  return true;
}
