/**
 * Analysis of messages, and of recorded episodes under other rewards. Opens no file.
 * @module @laconic/evaluation/analysis
 */
export { commonMessages, messageValues, observationValues, summariseValues } from "./message-value.ts";
export type { CommonMessage, Cut, MessageJudge, MessageValue, ValueSummary } from "./message-value.ts";
export { speechEdges } from "./team-analysis.ts";
export type { SpeechEdge } from "./team-analysis.ts";
export { analyseTeam, speechOf } from "./team-analysis.ts";
export type { PlayedTeam, Speech, TeamAnalysis } from "./team-analysis.ts";
export { gradedEpisode, rescore } from "./rescore.ts";
export type { RescoredStep, RescoreOptions } from "./rescore.ts";
