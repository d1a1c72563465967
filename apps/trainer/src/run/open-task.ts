import { hubEnvironment } from "@laconic/hub";
import type { TeamTask } from "@laconic/tasks";
import {
  openTask as openNamed,
  pinnedTask as pinNamed,
  type TaskResources,
  type TaskSettings,
} from "@laconic/tasks/named";
import { dataFolder } from "./data-folder.ts";

function ownData(): Pick<TaskResources, "data"> {
  return { data: { folder: dataFolder(undefined), hub: hubEnvironment(process.env) } };
}

/** A task with its data and graders, which come from this machine's folder and hub; close it where it says how. */
export async function openTask(settings: TaskSettings, resources: Partial<TaskResources> = {}): Promise<TeamTask> {
  return openNamed(settings, { ...ownData(), ...resources });
}

/**
 * The task as it can be opened again: data sets of the hub with their commits.
 * @throws LaconicError what opening the data throws
 */
export async function pinnedTask(settings: TaskSettings): Promise<TaskSettings> {
  return pinNamed(settings, ownData());
}
