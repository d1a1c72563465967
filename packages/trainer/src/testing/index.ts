/**
 * Test doubles: a trainable model small enough to check by hand, a task it learns, a fleet and a clock on which
 * nothing takes time, and a file system that fails on command.
 * @module @laconic/trainer/testing
 */
export { tabularModel, type TabularOptions } from "./tabular-model.ts";
export { tabularPolicy } from "./tabular-policy.ts";
export { tinyParts, tinySettings, tinyTask, tinyTokenizer } from "./tiny-task.ts";
export { tinyAdapter, tinyLlama } from "./tiny-llama.ts";
export { tinyPairParts, tinyPairTask } from "./tiny-pair.ts";
export { tinyDuelParts } from "./tiny-duel.ts";
export { tinyExampleParts, tinyLearningParts, tinyToolParts } from "./tiny-learning.ts";
export { nullFleet } from "./null-fleet.ts";
export { nullModel } from "./null-model.ts";
export { virtualTimer, type VirtualTimer } from "./virtual-timer.ts";
export { tinyRun, type TinyRunOptions } from "./tiny-run.ts";
export { episodeMembers, writeEpisodeMembers, type EpisodeMember } from "./edit-episodes.ts";
export { faultyFileSystem, ProcessKilled, type Faults } from "./faulty-file-system.ts";
export { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "./sink-story.ts";
export { matchmakingCases } from "./matchmaking-cases.ts";
export { sinkCases, type SinkReading, type SinkSubject } from "./sink-cases.ts";
