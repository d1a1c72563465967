/**
 * Tasks by name, as configurations say them. Imports no parser and no sandbox until a task over text is opened.
 * @module @laconic/tasks/named
 */
export {
  namedTask,
  namedTasks,
  taskNames,
  openTask,
  pinnedTask,
  taskSettingsSchema,
  taskTitle,
} from "./named-tasks.ts";
export type { TaskName, TaskSettings } from "./named-tasks.ts";
export type { NamedTask } from "./named-task.ts";
export type { GatewayLimitSettings, GatewaySettings } from "./gateway.ts";
export type {
  RelaySettings,
  RelayCriticSettings,
  RelayFeedbackSettings,
  RelayHintSettings,
  RelayWritersSettings,
} from "./relay.ts";
export type {
  StoryBudgetSettings,
  StoryHintSettings,
  StoryRelaySettings,
  StoryTellersSettings,
  StoryWritersSettings,
} from "./stories.ts";
export type { TaskResources } from "../task-resources.ts";
