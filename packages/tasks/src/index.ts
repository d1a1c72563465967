/**
 * Tasks that a team trains on: custom ones, the relay and small worlds.
 * @module @laconic/tasks
 */
export { distinct, drawFrom, textsOf } from "./task.ts";
export type { GradedTask, TeamTask, WorldTask } from "./task.ts";
export { defineTask } from "./define-task.ts";
export type { DefinedTask, TaskDefinition } from "./define-task.ts";
export { defineEnvironment, withStepRewards } from "./define-environment.ts";
export { checkProblems } from "./check-problems.ts";
export { gradedBy } from "./grading.ts";
export type { Grade, OwnGrader } from "./grading.ts";
export { counterparts } from "./probe.ts";
export type { NoProbe, ProbeCase, TaskProbes } from "./probe.ts";

export { generateRelayProblem, relayLevels } from "./relay/problem.ts";
export type { RelayLevel, RelayLevelName } from "./relay/problem.ts";
export { relayTokenizer } from "./relay/tokenizer.ts";
export { relayHolderPrompt, relaySolverPrompt, renderTokens as renderRelayPrompt } from "./relay/prompts.ts";
export { relayEpisode, relayGrader, relayTask, relayTopology } from "./relay/task.ts";
export type { RelayTask, RelayTaskOptions } from "./relay/task.ts";
export {
  relayOracleTokens,
  relayTeacher,
  relayTeacherSettings,
  warmStartBatch,
  warmStartCurriculum,
} from "./relay/teacher.ts";
export type {
  RelayStyle,
  RelayStyleMix,
  RelayTeacherSettings,
  WarmStartExample,
  WarmStartPhase,
} from "./relay/teacher.ts";
export { relayCriticTask, relayHintTask } from "./relay/actor-tasks.ts";
export type { RelayCriticOptions, RelayHintOptions } from "./relay/actor-tasks.ts";
export type { RelayPairTask, WritersParts } from "./relay/pair-task.ts";
export { relayFeedbackTask, relayWritersTask, writersGrade } from "./relay/pair-task.ts";
