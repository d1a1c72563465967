/**
 * Tasks over text: teams of the papers on benchmark questions, texts and programs written together.
 * @module @laconic/tasks/text
 */
export { benchmarkTask } from "./benchmark-task.ts";
export type { BenchmarkTaskSettings, TeamSettings } from "./benchmark-task.ts";
export { dataTask } from "./data-task.ts";
export type { DataTaskMeans, DataTaskSettings } from "./data-task.ts";
export { dealTo } from "./deal.ts";
export { codeTask, writingTask } from "./pair-tasks.ts";
export type { CodeTaskSettings, WritingTaskSettings } from "./pair-tasks.ts";
export { teamNames, textTeam, textTeams } from "./text-teams.ts";
export type { TeamName, TextTeam, TextTeamOptions } from "./text-teams.ts";
export type { TaskMeans } from "../task.ts";
