import type { AgentId, Topology } from "@laconic/core";
import { answerOf } from "../answer-rule.ts";
import type { AgentSpec } from "../graph.ts";
import { graphTopology } from "../graph-topology.ts";

/** Speakers write at once, unheard by each other; the answerer reads them all, in declared order, and answers. */
export function star<A extends AgentId>(
  speakers: readonly AgentSpec<A>[],
  answerer: AgentSpec<A>,
  name = "star",
): Topology {
  return graphTopology<AgentId>({
    name,
    agents: [...speakers, answerer],
    rounds: 1,
    spatial: speakers.map((speaker) => ({ from: speaker.id, to: answerer.id })),
    answer: answerOf(answerer.id),
  });
}
