import { LaconicError } from "@laconic/core";
import * as z from "zod";
import type { TeamTask } from "@laconic/tasks";
import type { TaskResources } from "../task-resources.ts";
import { namedTask, namedTasks, taskNames, type TaskSettings } from "./named-tasks.ts";

/** What the settings of a task may be, by its name. */
export const taskSettingsSchema: z.ZodType<TaskSettings> = z.discriminatedUnion(
  "name",
  Object.values(namedTasks).map(({ schema }) => schema) as unknown as [z.ZodObject, ...z.ZodObject[]],
  { error: `it must be one of ${taskNames.join(", ")}` },
) as unknown as z.ZodType<TaskSettings>;

/**
 * A task with its data and graders; close it where it says how. What a task over text needs, its parsers and sandboxes, is
 * loaded here and not before.
 *
 * @throws LaconicError `config_invalid` for settings that do not fit each other, `data_invalid` for data that is not here,
 * `checkpoint_missing` for a model without a tokenizer
 */
export async function openTask(settings: TaskSettings, given: Partial<TaskResources> = {}): Promise<TeamTask> {
  const resources: TaskResources = {
    heldOut: 1000,
    modelFolder: null,
    templateArguments: {},
    data: { folder: "" },
    note: () => undefined,
    ...given,
  };
  const task = namedTask(settings);
  if (task.world(settings) !== null && Object.keys(resources.templateArguments).length > 0)
    throw new LaconicError("config_invalid", `chatTemplateArguments: the task ${settings.name} has no chats`, {
      key: "chatTemplateArguments",
    });
  return task.open(settings, resources);
}

/** What results call a task: `relay/one-fact`, `relay-hint`, `benchmark/gsm8k/hint`, `data/hint`. */
export function taskTitle(settings: TaskSettings): string {
  return namedTask(settings).title(settings);
}

/**
 * The task as it can be opened again: data sets of the hub with their commits.
 * @throws LaconicError what opening the data throws
 */
export async function pinnedTask(
  settings: TaskSettings,
  resources: Pick<TaskResources, "data">,
): Promise<TaskSettings> {
  return (await namedTask(settings).pin?.(settings, resources)) ?? settings;
}
