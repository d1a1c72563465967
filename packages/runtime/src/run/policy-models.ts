import { settingError } from "../setting-error.ts";
import { type ChatTokenizer, type ModelSource, type Tokenizer } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import { onlyPolicy } from "@laconic/trainer";
import { openModelFolder } from "../models/model-folder.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import type { Progress } from "../progress.ts";
import { isReference } from "../resolver/reference.ts";
import type { ActorSettings, AppConfig } from "./run-settings.ts";

/** Who speaks for the agents that do not learn, instead of the training's. */
export interface ActorChoice {
  /** What results call it: the same text means the same weights, as far as a name can. */
  readonly title: string;
  readonly speaks:
    | ActorSettings
    /** The trained policy of another run. */
    | { readonly source: ModelSource; readonly tokenizer: TeamTask["tokenizer"] };
}

/** A policy of another run, with the weights of its last checkpoint. */
export interface RunPolicy {
  readonly source: ModelSource;
  readonly tokenizer: TeamTask["tokenizer"];
  readonly agents: readonly string[];
  /** Where its checkpoint has it. */
  readonly folder: string;
}

/** Other runs in the pool of opponents: the policy that plays each agent, by the run's name. */
export type OpponentRuns = Readonly<Record<string, Readonly<Record<string, RunPolicy>>>>;

/** Agents by policy: one that all trained agents share, or one for each of them. */
export function policiesOf(
  { policies = "shared" }: Partial<Pick<AppConfig, "policies">>,
  task: Pick<TeamTask, "topology" | "trainedAgents">,
): Readonly<Record<string, readonly string[]>> {
  const agents = task.trainedAgents ?? task.topology.agents;
  return policies === "own" ? Object.fromEntries(agents.map((agent) => [agent, [agent]])) : { [onlyPolicy]: agents };
}

export function checkBases(bases: Readonly<Record<string, string>>, policies: Readonly<Record<string, unknown>>): void {
  const stray = Object.keys(bases).find((name) => !Object.hasOwn(policies, name));
  if (stray !== undefined)
    throw settingError(`bases.${stray}`, `there is no such policy; this run has ${Object.keys(policies).join(", ")}`);
}

/**
 * Where a policy's model comes from: what the configuration names, or a folder of one of the run's checkpoints.
 * @param folder - of the configuration's model, or of its adapter's base
 */
export function modelSource(
  { lora = null, train }: Pick<AppConfig, "train"> & Partial<Pick<AppConfig, "lora">>,
  folder: string,
  saved?: string,
): ModelSource {
  const base = { kind: "folder", path: folder } as const;
  if (saved === undefined) return lora ? { kind: "adapter", base, lora, seed: train.seed } : base;
  return lora ? { kind: "adapter-folder", base, path: saved } : { kind: "folder", path: saved };
}

/** The first weights of a policy, and its tokenizer. */
interface PolicyBase {
  readonly folder: string | null;
  readonly tokenizer: Tokenizer | ChatTokenizer;
}

/** What each policy begins with: its own base, or the run's model, whose tokenizer is the task's. */
export async function basesOf(
  names: readonly string[],
  { bases = {}, chatTemplateArguments = {} }: Partial<Pick<AppConfig, "bases" | "chatTemplateArguments">>,
  task: Pick<TeamTask, "tokenizer">,
  modelFolder: string | null,
  openModel: (name: string) => Promise<string>,
): Promise<Record<string, PolicyBase>> {
  const based: Record<string, PolicyBase> = {};
  for (const name of names) {
    const base = bases[name];
    if (base === undefined) based[name] = { folder: modelFolder, tokenizer: task.tokenizer };
    else {
      const folder = await openModel(base);
      based[name] = { folder, tokenizer: await policyTokenizer(folder, chatTemplateArguments) };
    }
  }
  return based;
}

/** Folders of the models that a configuration names, by role. A hub's models are downloaded where they are not here. */
export async function modelFolders(
  { model, bases, teachers, actor, engine }: Pick<AppConfig, "model" | "bases" | "teachers" | "actor" | "engine">,
  progress: Progress,
): Promise<Record<string, string>> {
  const named = Object.entries({
    model,
    ...Object.fromEntries(Object.entries(bases).map(([name, base]) => [`bases.${name}`, base])),
    ...Object.fromEntries(Object.entries(teachers).map(([name, folder]) => [`teachers.${name}`, folder])),
    ...(modelOf(actor) !== null && { actor: modelOf(actor) as string }),
  });
  const folders: Record<string, string> = {};
  for (const [role, name] of named)
    folders[role] = (await openModelFolder(name, progress, { weights: engine === null })).folder;
  return folders;
}

export function modelOf(actor: AppConfig["actor"]): string | null {
  return actor && !isReference(actor) && "model" in actor ? actor.model : null;
}
