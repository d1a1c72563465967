/**
 * Tasks by name, as configurations say them. Imports no parser and no sandbox until a task over text is opened.
 * @module @laconic/worlds/named
 */
export { namedTask, namedTasks, taskNames } from "./named-tasks.ts";
export type { TaskName, TaskSettings } from "./named-tasks.ts";
export type { NamedTask } from "./named-task.ts";
export { openTask, pinnedTask, taskSettingsSchema, taskTitle } from "./open-task.ts";
export type { GatewayLimitSettings, GatewaySettings } from "./gateway.ts";
export type { RelaySettings } from "./relay.ts";
export type { RelayCriticSettings } from "./relay-critic.ts";
export type { RelayFeedbackSettings } from "./relay-feedback.ts";
export type { RelayHintSettings } from "./relay-hint.ts";
export type { RelayWritersSettings } from "./relay-writers.ts";
export type { StoryBudgetSettings } from "./story-budget.ts";
export type { StoryHintSettings } from "./story-hint.ts";
export type { StoryRelaySettings } from "./story-relay.ts";
export type { StoryTellersSettings } from "./story-tellers.ts";
export type { StoryWritersSettings } from "./story-writers.ts";
export type { TaskResources } from "../task-resources.ts";
