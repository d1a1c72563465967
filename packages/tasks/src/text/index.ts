/**
 * Tasks over text: teams of the papers on benchmark questions, texts and programs written together.
 * @module @laconic/tasks/text
 */
export { benchmarkTask } from "./benchmark-task.ts";
export type { BenchmarkTaskSettings } from "./benchmark-task.ts";
export { dataTask } from "./data-task.ts";
export type { DataTaskResources, DataTaskSettings } from "./data-task.ts";
export { dealSeed, dealTo, benchmarkTeam, teamDefaults } from "./benchmark-team.ts";
export { cooperationReward, cooperationSchemes } from "./cooperation.ts";
export type { CooperationReport, CooperationReward, CooperationScheme } from "./cooperation.ts";
export { codeTask, writingTask } from "./pair-tasks.ts";
export type { CodeTaskSettings, WritingTaskSettings } from "./pair-tasks.ts";
export type { TeamForms, TeamSettings } from "./benchmark-team.ts";
export { teamNames, teamPresets } from "./teams/presets.ts";
export type { TeamName } from "./teams/presets.ts";
export { teamOf, teamTitle } from "./teams/team-of.ts";
export type { TeamChoice } from "./teams/team-of.ts";
export { teamOn } from "./teams/text-team.ts";
export type { TeamPreset, TextTeam, TextTeamMaker, TextTeamOptions } from "./teams/text-team.ts";
export type { TaskResources } from "../task-resources.ts";
