/**
 * Analysis of messages, and of recorded episodes under other rewards. Opens no file.
 * @module @laconic/evaluation/analysis
 */
export { commonMessages, messageValues, observationValues, summariseValues } from "./message-value.ts";
export type { CommonMessage, Cut, MessageJudge, MessageValue, ValueSummary } from "./message-value.ts";
export { speechEdges, analyseTeam, speechOf } from "./team-analysis.ts";
export type { SpeechEdge, PlayedTeam, Speech, TeamAnalysis } from "./team-analysis.ts";
export { gradedEpisode, rescore, type RescoredStep, type RescoreOptions } from "./rescore.ts";
