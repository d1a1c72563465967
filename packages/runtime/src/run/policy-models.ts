import { refuseSetting, type ChatTokenizer, type ModelSource, type Tokenizer } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import { onlyPolicy } from "@laconic/trainer";
import { openModelFolder } from "../models/model-folder.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import type { Progress } from "../progress.ts";
import { isReference } from "../resolver/reference.ts";
import type { ActorSettings, AppConfig } from "./run-settings.ts";

export interface ActorChoice {
  /** Title in results; equal titles should mean equal weights. */
  readonly title: string;
  readonly speaks:
    | ActorSettings
    /** Trained policy of another run. */
    | { readonly source: ModelSource; readonly tokenizer: TeamTask["tokenizer"] };
}

export interface RunPolicy {
  readonly source: ModelSource;
  readonly tokenizer: TeamTask["tokenizer"];
  readonly agents: readonly string[];
  readonly folder: string;
}

/** Policies by run name and agent. */
export type OpponentRuns = Readonly<Record<string, Readonly<Record<string, RunPolicy>>>>;

/** Agents by policy: a shared one, or one per trained agent. */
export function policiesOf(
  { policies = "shared" }: Partial<Pick<AppConfig, "policies">>,
  task: Pick<TeamTask, "topology" | "trainedAgents">,
): Readonly<Record<string, readonly string[]>> {
  const agents = task.trainedAgents ?? task.topology.agents;
  return policies === "own" ? Object.fromEntries(agents.map((agent) => [agent, [agent]])) : { [onlyPolicy]: agents };
}

export function frozenAgents({ topology, trainedAgents }: Pick<TeamTask, "topology" | "trainedAgents">): string[] {
  return trainedAgents ? topology.agents.filter((agent) => !trainedAgents.includes(agent)) : [];
}

export function checkBases(bases: Readonly<Record<string, string>>, policies: Readonly<Record<string, unknown>>): void {
  const stray = Object.keys(bases).find((name) => !Object.hasOwn(policies, name));
  if (stray !== undefined)
    refuseSetting(`bases.${stray}`, `unknown policy; this run has ${Object.keys(policies).join(", ")}`);
}

/** @param folder - the configuration's model, or the adapter's base @param saved - checkpoint folder */
export function modelSource(
  { lora = null, train }: Pick<AppConfig, "train"> & Partial<Pick<AppConfig, "lora">>,
  folder: string,
  saved?: string,
): ModelSource {
  const base = { kind: "folder", path: folder } as const;
  if (saved === undefined) return lora ? { kind: "adapter", base, lora, seed: train.seed } : base;
  return lora ? { kind: "adapter-folder", base, path: saved } : { kind: "folder", path: saved };
}

interface PolicyBase {
  readonly folder: string | null;
  readonly tokenizer: Tokenizer | ChatTokenizer;
}

/** Each policy's base, or else the run's model with the task's tokenizer. */
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

/** Model folders by role. Downloads missing models. */
export async function modelFolders(
  { model, bases, teachers, actor, engine }: Pick<AppConfig, "model" | "bases" | "teachers" | "actor" | "engine">,
  progress: Progress,
  { weights = engine === null }: { readonly weights?: boolean } = {},
): Promise<Record<string, string>> {
  const frozen = modelOf(actor);
  const named = [
    ["model", model] as const,
    ...Object.entries(bases).map(([name, base]) => [`bases.${name}`, base] as const),
    ...Object.entries(teachers).map(([name, teacher]) => [`teachers.${name}`, teacher] as const),
    ...(frozen === null ? [] : [["actor", frozen] as const]),
  ];
  const folders: Record<string, string> = {};
  for (const [role, name] of named) folders[role] = (await openModelFolder(name, progress, { weights })).folder;
  return folders;
}

export function modelOf(actor: AppConfig["actor"]): string | null {
  return actor && !isReference(actor) && "model" in actor ? actor.model : null;
}
