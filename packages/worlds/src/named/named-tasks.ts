import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import type { DataTaskSettings } from "../text/data-task.ts";
import type { CodeTaskSettings, WritingTaskSettings } from "../text/pair-tasks.ts";
import { benchmark } from "./benchmark.ts";
import { code } from "./code.ts";
import { data } from "./data.ts";
import { gateway, type GatewaySettings } from "./gateway.ts";
import type { NamedTask } from "./named-task.ts";
import { relay, type RelaySettings } from "./relay.ts";
import { relayCritic, type RelayCriticSettings } from "./relay-critic.ts";
import { relayFeedback, type RelayFeedbackSettings } from "./relay-feedback.ts";
import { relayHint, type RelayHintSettings } from "./relay-hint.ts";
import { relayWriters, type RelayWritersSettings } from "./relay-writers.ts";
import { storyBudget, type StoryBudgetSettings } from "./story-budget.ts";
import { storyHint, type StoryHintSettings } from "./story-hint.ts";
import { storyRelay, type StoryRelaySettings } from "./story-relay.ts";
import { storyTellers, type StoryTellersSettings } from "./story-tellers.ts";
import { storyWriters, type StoryWritersSettings } from "./story-writers.ts";
import { writing } from "./writing.ts";

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

/** All tasks that have a name. A new one is a file, its settings above and its line here. */
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
