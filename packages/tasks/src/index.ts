/**
 * Tasks that a team trains on: the relay and the small worlds around it, which train in seconds to minutes on two cores.
 * @module @laconic/tasks
 */
export type { TeamTask } from "./task.ts";
export { defineTask } from "./define-task.ts";
export type { DefinedTask, TaskDefinition } from "./define-task.ts";
export { defineEnvironment, withStepRewards } from "./define-environment.ts";
export type { Grade, OwnGrader } from "./grading.ts";

export { relayTask } from "./relay/task.ts";
export type { RelayTask, RelayTaskOptions } from "./relay/task.ts";
export { relayLevels } from "./relay/levels.ts";
export type { RelayLevel, RelayLevelName } from "./relay/levels.ts";
export { generateRelayProblem } from "./relay/problem.ts";
export { relayTokenizer } from "./relay/tokenizer.ts";
export { relayHolderPrompt, relaySolverPrompt } from "./relay/own-prompts.ts";
export { renderTokens as renderRelayPrompt } from "./relay/token-prompt.ts";
export { relayTopology, relayEpisode } from "./relay/topology.ts";
export { relayGrader } from "./relay/grader.ts";

export { relayTeacher, relayTeacherSettings } from "./relay/teacher.ts";
export type { RelayStyle, RelayStyleMix, RelayTeacherSettings } from "./relay/teacher.ts";
export { relayOracleTokens } from "./relay/oracle.ts";
export { warmStartBatch } from "./relay/warm-start.ts";
export type { WarmStartExample } from "./relay/warm-start.ts";
export { warmStartCurriculum } from "./relay/curriculum.ts";
export type { WarmStartPhase } from "./relay/curriculum.ts";

export { relayCriticDefaults, relayCriticTask } from "./relay/critic-task.ts";
export type { RelayCriticOptions } from "./relay/critic-task.ts";
export { relayFeedbackTask } from "./relay/feedback.ts";
export type { RelayPairTask } from "./relay/pair-task.ts";
export { relayWritersTask, writersGrade } from "./relay/writers.ts";
export type { WritersParts } from "./relay/writers.ts";
export { relayHintDefaults, relayHintTask } from "./relay/hint-task.ts";
export type { RelayHintOptions } from "./relay/hint-task.ts";
export type { FrozenActorTask } from "./frozen-actor-task.ts";

export { counterparts } from "./probe.ts";
export type { NoProbe, ProbeCase, TaskProbes } from "./probe.ts";

export { checkProblems } from "./check-problems.ts";
export { distinct, drawFrom, textsOf } from "./task.ts";
export { gradedBy } from "./grading.ts";
