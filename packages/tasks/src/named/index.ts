/**
 * Tasks by name, as in configurations; parsers and sandboxes load with a task over text.
 * @module @laconic/tasks/named
 */
import { refuseSetting } from "@laconic/core";
import * as z from "zod";
import type { TeamTask } from "../task.ts";
import { resourcesOf, type TaskResources } from "../task-resources.ts";
import { gateway } from "./gateway.ts";
import type { NamedTask, NamedTasks, SettingsOf, TaskName, TaskSettings } from "./named-task.ts";
import { textTasks } from "./text.ts";
import { worlds } from "./worlds.ts";

export type { GatewayLimitSettings, NamedTask, SettingsOf, TaskName, TaskSettings } from "./named-task.ts";
export type { TaskResources } from "../task-resources.ts";
/** Settings of a served task. */
export type GatewaySettings = SettingsOf<"gateway">;

/** All named tasks. */
export const namedTasks: NamedTasks = { ...worlds, ...textTasks, gateway };

/** All task names. */
export const taskNames: readonly TaskName[] = Object.keys(namedTasks) as TaskName[];

/** Returns the named task. */
export function namedTask({ name }: TaskSettings): NamedTask<TaskSettings> {
  return namedTasks[name];
}

/** Settings schema of each task. */
export const taskSettingsSchema: z.ZodType<TaskSettings> = z.discriminatedUnion(
  "name",
  Object.values(namedTasks).map(({ schema }) => schema) as unknown as [z.ZodObject, ...z.ZodObject[]],
  { error: `it must be one of ${taskNames.join(", ")}` },
) as unknown as z.ZodType<TaskSettings>;

/**
 * Opens a task with data and graders; call `close` at the end.
 * @throws LaconicError `config_invalid`, `data_invalid`, `checkpoint_missing` for a model without a tokenizer
 */
export async function openTask(settings: TaskSettings, input: Partial<TaskResources> = {}): Promise<TeamTask> {
  const resources = resourcesOf(input);
  const task = namedTask(settings);
  if (task.world && Object.keys(resources.templateArguments).length > 0)
    refuseSetting("chatTemplateArguments", `the task ${settings.name} has no chats`);
  return task.open(settings, resources);
}

/** Name in results, such as `relay/one-fact`. */
export function taskTitle(settings: TaskSettings): string {
  return namedTask(settings).title?.(settings) ?? settings.name;
}

/** Settings that reopen the same task, with commits of hub data sets. */
export async function pinnedTask(
  settings: TaskSettings,
  resources: Pick<TaskResources, "data">,
): Promise<TaskSettings> {
  return (await namedTask(settings).pin?.(settings, resources)) ?? settings;
}
