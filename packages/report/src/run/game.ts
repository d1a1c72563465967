import { namedTask, taskSettingsSchema } from "@laconic/worlds/named";

/** What a run's team plays, in two sentences: of a task with a name its own, of a user's what the run kept of it. Null for neither. */
export function gameOf(config: { readonly task?: unknown }, environment: { readonly about?: unknown }): string | null {
  if (typeof environment.about === "string") return environment.about;
  const task = taskSettingsSchema.safeParse(config.task);
  return task.success ? namedTask(task.data).about(task.data) : null;
}
