import { isReference } from "../resolver/reference.ts";
import type { Progress } from "../progress.ts";
import { openModelFolder } from "../models/model-folder.ts";
import type { AppConfig } from "./run-settings.ts";

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

/** Of an actor that computes here. */
export function modelOf(actor: AppConfig["actor"]): string | null {
  return actor && !isReference(actor) && "model" in actor ? actor.model : null;
}
