import { LaconicError } from "@laconic/core";
import type { TeamTask } from "../task.ts";
import * as z from "zod";
import { gateway, type GatewaySettings } from "./gateway.ts";
import type { NamedTask } from "./named-task.ts";
import {
  relay,
  relayCritic,
  type RelayCriticSettings,
  relayFeedback,
  type RelayFeedbackSettings,
  relayHint,
  type RelayHintSettings,
  type RelaySettings,
  relayWriters,
  type RelayWritersSettings,
} from "./relay.ts";
import {
  storyBudget,
  type StoryBudgetSettings,
  storyHint,
  type StoryHintSettings,
  storyRelay,
  type StoryRelaySettings,
  storyTellers,
  type StoryTellersSettings,
  storyWriters,
  type StoryWritersSettings,
} from "./stories.ts";
import { benchmark, code, data, writing } from "./text.ts";
import type { TaskResources } from "../task-resources.ts";
import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import type { DataTaskSettings } from "../text/data-task.ts";
import type { CodeTaskSettings, WritingTaskSettings } from "../text/pair-tasks.ts";

/** A task that has a name, as a configuration says it. */
export type TaskSettings =
  | RelaySettings
  | RelayHintSettings
  | RelayCriticSettings
  | RelayWritersSettings
  | RelayFeedbackSettings
  | StoryRelaySettings
  | StoryTellersSettings
  | StoryHintSettings
  | StoryWritersSettings
  | StoryBudgetSettings
  | BenchmarkTaskSettings
  | DataTaskSettings
  | WritingTaskSettings
  | CodeTaskSettings
  | GatewaySettings;

/** The name of a task. */
export type TaskName = TaskSettings["name"];

/** All tasks that have a name. A new one has a value of its own, its settings above and its line here. */
export const namedTasks: {
  readonly [Name in TaskName]: NamedTask<Extract<TaskSettings, { readonly name: Name }>>;
} = {
  relay,
  "relay-hint": relayHint,
  "relay-critic": relayCritic,
  "relay-writers": relayWriters,
  "relay-feedback": relayFeedback,
  "story-relay": storyRelay,
  "story-tellers": storyTellers,
  "story-hint": storyHint,
  "story-writers": storyWriters,
  "story-budget": storyBudget,
  benchmark,
  data,
  writing,
  code,
  gateway,
};

/** Every name of a task. */
export const taskNames: readonly TaskName[] = Object.keys(namedTasks) as TaskName[];

/** The task that settings name. */
export function namedTask({ name }: TaskSettings): NamedTask<TaskSettings> {
  return namedTasks[name];
}

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
    testProblems: 1000,
    modelFolder: null,
    templateArguments: {},
    data: { folder: "" },
    note: () => undefined,
    ...given,
  };
  const task = namedTask(settings);
  if (task.world && Object.keys(resources.templateArguments).length > 0)
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
