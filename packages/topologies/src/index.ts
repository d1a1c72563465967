/**
 * Communication graphs as data, and the one executor that runs them and fills the ledger.
 * @module @laconic/topologies
 */
export type { AgentSpec, Edge, Graph } from "./graph.ts";
export type { AgentView, ReceivedMessage } from "./view.ts";
export { answerOf, plurality } from "./answer-rule.ts";
export type { AnswerRule } from "./answer-rule.ts";

export { graphTopology } from "./graph-topology.ts";
export { solo } from "./solo.ts";
export { star } from "./star.ts";

export { speak } from "./speak.ts";
export type { SpeakRequest, Turn } from "./speak.ts";
export { endEpisode } from "./end-episode.ts";
