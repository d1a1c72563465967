/**
 * Test doubles: a trainable model small enough to check by hand, a task it learns, a fleet and a clock on which
 * nothing takes time, and a file system that fails on command.
 * @module @laconic/trainer/testing
 */
export { tabularModel } from "./tabular-model.ts";
export type { TabularOptions } from "./tabular-model.ts";
export { tabularPolicy } from "./tabular-policy.ts";
export { tinyParts, tinySettings, tinyTask, tinyTokenizer } from "./tiny-task.ts";
export { tinyAdapter, tinyLlama } from "./tiny-llama.ts";
export { tinyPairParts, tinyPairTask } from "./tiny-pair.ts";
export { tinyDuelParts } from "./tiny-duel.ts";
export { tinyExampleParts, tinyLearningParts, tinyToolParts } from "./tiny-learning.ts";
export { nullFleet } from "./null-fleet.ts";
export { nullModel } from "./null-model.ts";
export { virtualTimer } from "./virtual-timer.ts";
export type { VirtualTimer } from "./virtual-timer.ts";
export { tinyRun } from "./tiny-run.ts";
export type { TinyRunOptions } from "./tiny-run.ts";
export { episodeMembers, writeEpisodeMembers } from "./edit-episodes.ts";
export type { EpisodeMember } from "./edit-episodes.ts";
export { faultyFileSystem, ProcessKilled } from "./faulty-file-system.ts";
export type { Faults } from "./faulty-file-system.ts";
export { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "./sink-story.ts";
export { matchmakingCases } from "./matchmaking-cases.ts";
export { sinkCases } from "./sink-cases.ts";
export type { SinkReading, SinkSubject } from "./sink-cases.ts";
