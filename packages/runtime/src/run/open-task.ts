import { hubEnvironment } from "@laconic/hub";
import type { TeamTask } from "@laconic/tasks";
import {
  openTask as openNamed,
  pinnedTask as pinNamed,
  type TaskResources,
  type TaskSettings,
} from "@laconic/tasks/named";
import { dataFolder } from "../folders/data-folder.ts";

/** What opening a task takes, completed with this machine's. */
export function taskResources(given: Partial<TaskResources>): TaskResources {
  const data = { folder: dataFolder(undefined), hub: hubEnvironment(process.env) };
  return { testProblems: 1000, modelFolder: null, templateArguments: {}, data, note: () => undefined, ...given };
}

/** A task with its data and graders, which come from this machine's folder and hub; close it where it says how. */
export async function openTask(settings: TaskSettings, given: Partial<TaskResources> = {}): Promise<TeamTask> {
  return openNamed(settings, taskResources(given));
}

/**
 * The task as it can be opened again: data sets of the hub with their commits.
 * @throws LaconicError what opening the data throws
 */
export async function pinnedTask(settings: TaskSettings): Promise<TaskSettings> {
  return pinNamed(settings, taskResources({}));
}
