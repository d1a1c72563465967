/**
 * Tasks over text: the papers' teams on questions, texts and programs.
 * @module @laconic/tasks/text
 */
export { benchmarkTask, dataTask } from "./benchmark-task.ts";
export type { BenchmarkTaskSettings, DataTaskResources, DataTaskSettings } from "./benchmark-task.ts";
export { dealSeed, dealTo, benchmarkTeam, teamDefaults } from "./benchmark-team.ts";
export type { TeamForms, TeamSettings } from "./benchmark-team.ts";
export { cooperationReward, cooperationSchemes } from "./cooperation.ts";
export type { CooperationReport, CooperationReward, CooperationScheme } from "./cooperation.ts";
export { codeTask, writingTask } from "./pair-tasks.ts";
export type { CodeOptions, WritingOptions } from "./pair-tasks.ts";
export { teamNames, teamPresets } from "./teams/presets.ts";
export type { TeamName } from "./teams/presets.ts";
export { teamOf, teamTitle } from "./teams/team-of.ts";
export type { TeamChoice } from "./teams/team-of.ts";
export { teamOn } from "./teams/text-team.ts";
export type { TeamPreset, TextTeam, TextTeamMaker, TextTeamOptions } from "./teams/text-team.ts";
export type { TaskResources } from "../task-resources.ts";
