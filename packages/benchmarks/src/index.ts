/**
 * Benchmarks and graders for teams of language models, and the relay task that trains in minutes.
 * @module @laconic/benchmarks
 */
export { relayTask } from "./relay/task.ts";
export type { RelayTask, RelayTaskOptions } from "./relay/task.ts";
export { relayLevels } from "./relay/levels.ts";
export type { RelayLevel, RelayLevelName } from "./relay/levels.ts";
export { generateRelayProblem, relaySplit } from "./relay/problem.ts";
export type { RelaySplit } from "./relay/problem.ts";
export { relayMarks, relayTokenizer, spellRelayTokens } from "./relay/tokenizer.ts";
export { relayTopology } from "./relay/topology.ts";
export { extractRelayAnswer, relayGrader } from "./relay/grader.ts";

export { relayTeacher } from "./relay/relay-teacher.ts";
export { relayTeacherSettings } from "./relay/teacher.ts";
export type { RelayStyle, RelayStyleMix, RelayTeacherSettings } from "./relay/teacher.ts";
export { relayOracle, relayOracleTokens } from "./relay/oracle.ts";
export { relayEpisode } from "./relay/relay-episode.ts";
export { warmStartBatch, warmStartExamples } from "./relay/warm-start.ts";
export type { WarmStartExample } from "./relay/warm-start.ts";
export { warmStartCurriculum } from "./relay/curriculum.ts";
export type { WarmStartPhase } from "./relay/curriculum.ts";
