/**
 * Tasks over text: the papers' teams on questions, texts and programs.
 * @module @laconic/tasks/text
 */
export { benchmarkTask, dataTask } from "./benchmark-task.ts";
export type { BenchmarkTaskSettings, DataTaskResources, DataTaskSettings } from "./benchmark-task.ts";
export { dealSeed, dealTo, benchmarkTeam, teamDefaults } from "./benchmark-team.ts";
export type { PromptSource, TeamForms, TeamSettings, TeamTexts } from "./benchmark-team.ts";
export { openTeamTexts } from "./team-texts.ts";
export { cooperationReward, cooperationSchemes } from "./cooperation.ts";
export type { CooperationReport, CooperationReward, CooperationScheme } from "./cooperation.ts";
export { codeTask, writingTask, type CodeOptions, type WritingOptions } from "./pair-tasks.ts";
export { teamNames, teamPresets, type TeamName } from "./teams/presets.ts";
export { teamOf, teamTitle, type TeamChoice } from "./teams/team-of.ts";
export { teamOn, type TeamPreset, type TextTeam, type TextTeamMaker, type TextTeamOptions } from "./teams/text-team.ts";
export type { TaskResources } from "../task-resources.ts";
