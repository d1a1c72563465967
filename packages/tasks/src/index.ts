/**
 * Tasks that a team trains on: custom ones, the relay and small worlds.
 * @module @laconic/tasks
 */
export { distinct, drawFrom, textsOf, type GradedTask, type TeamTask, type WorldTask } from "./task.ts";
export { defineTask, type DefinedTask, type TaskDefinition } from "./define-task.ts";
export { defineEnvironment, withStepRewards } from "./define-environment.ts";
export { checkProblems } from "./define-task.ts";
export { gradedBy, type Grade, type OwnGrader } from "./grading.ts";
export { counterparts, type NoProbe, type ProbeCase, type TaskProbes } from "./probe.ts";

export { generateRelayProblem, relayLevels, type RelayLevel, type RelayLevelName } from "./relay/problem.ts";
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
  type RelayStyle,
  type RelayStyleMix,
  type RelayTeacherSettings,
  type WarmStartExample,
  type WarmStartPhase,
} from "./relay/teacher.ts";
export { relayCriticTask, relayHintTask, type RelayCriticOptions, type RelayHintOptions } from "./relay/actor-tasks.ts";
export type { RelayPairTask, WritersParts } from "./relay/pair-task.ts";
export { relayFeedbackTask, relayWritersTask } from "./relay/pair-task.ts";
