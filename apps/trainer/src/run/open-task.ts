import { LaconicError } from "@laconic/core";
import { hubEnvironment } from "@laconic/hub";
import {
  relayCriticTask,
  relayFeedbackTask,
  relayHintTask,
  relayTask,
  relayWritersTask,
  type TeamTask,
} from "@laconic/tasks";
import { teamTitle, type TaskMeans } from "@laconic/tasks/text";
import { dataFolder } from "./data-folder.ts";
import type { TaskSettings } from "./run-settings.ts";

/** What opening a task takes, completed with this machine's. */
export function taskMeans(given: Partial<TaskMeans>): TaskMeans {
  const data = { folder: dataFolder(undefined), hub: hubEnvironment(process.env) };
  return { heldOut: 1000, modelFolder: null, templateArguments: {}, data, note: () => undefined, ...given };
}

/**
 * A task with its data and graders; close it where it says how. Tasks over text are loaded where they are asked for: their
 * parsers and sandboxes would cost every other command its start.
 */
export async function openTask(settings: TaskSettings, means: Partial<TaskMeans> = {}): Promise<TeamTask> {
  const all = taskMeans(means);
  const { name: _, ...options } = settings;
  const { heldOut } = all;
  if (settings.name.startsWith("relay") && Object.keys(all.templateArguments).length > 0)
    throw new LaconicError("config_invalid", `chatTemplateArguments: the task ${settings.name} has no chats`, {
      key: "chatTemplateArguments",
    });
  switch (settings.name) {
    case "relay":
      return relayTask({ level: settings.level, heldOut });
    case "relay-hint":
      return relayHintTask({ ...options, heldOut });
    case "relay-critic":
      return relayCriticTask({ ...options, heldOut });
    case "relay-writers":
      return relayWritersTask({ heldOut });
    case "relay-feedback":
      return relayFeedbackTask({ heldOut });
    case "benchmark":
      return (await import("@laconic/tasks/text")).benchmarkTask(settings, all);
    case "data":
      return (await import("@laconic/tasks/text")).dataTask(settings, all);
    case "writing":
      return (await import("@laconic/tasks/text")).writingTask(settings, all);
    case "code":
      return (await import("@laconic/tasks/text")).codeTask(settings, all);
  }
}

/**
 * The task as it can be opened again: data sets of the hub with their commits.
 * @throws LaconicError what opening the data throws
 */
export async function pinnedTask(settings: TaskSettings): Promise<TaskSettings> {
  if (settings.name !== "data" || !/"hub:/u.test(JSON.stringify(settings.data))) return settings;
  const { openData } = await import("@laconic/benchmarks");
  return { ...settings, data: (await openData(settings.data, { hub: hubEnvironment(process.env) })).settings };
}

/** `relay/one-fact`, `relay-hint`, `benchmark/gsm8k/hint`, `data/hint`. */
export function taskTitle(settings: TaskSettings): string {
  switch (settings.name) {
    case "relay":
      return `relay/${settings.level}`;
    case "benchmark":
      return `benchmark/${settings.benchmark}/${teamTitle(settings.team)}`;
    case "data":
      return `data/${teamTitle(settings.team)}`;
    case "writing":
      return `writing/${settings.form}`;
    case "code":
      return `code/${settings.benchmark}/${settings.turns}`;
    case "relay-hint":
    case "relay-critic":
    case "relay-writers":
    case "relay-feedback":
      return settings.name;
  }
}
