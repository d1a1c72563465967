import type { AgentId, Episode, Problem, StopReason, Utterance } from "@laconic/core";
import type { Turn } from "./speak.ts";

/**
 * Turns, in order and numbered from 0, as an episode: every utterance is delivered to those who read it,
 * and the ledger lists the calls.
 *
 * @param outputs - what each agent answers, where several do
 */
export function endEpisode(
  topology: string,
  problem: Problem,
  turns: readonly Turn[],
  answer: Utterance | null,
  stopReason: StopReason,
  outputs?: Episode["outputs"],
): Episode {
  const readers = turns.map(() => new Set<AgentId>());
  for (const { call } of turns) for (const read of call.reads) readers[read.turn]?.add(call.agent);
  return {
    problemId: problem.id,
    topology,
    utterances: turns.map(({ utterance }, turn) => ({
      ...utterance,
      deliveredTo: [...(readers[turn] ?? [])],
    })),
    answer: answer?.text ?? null,
    ...(outputs && { outputs }),
    stopReason,
    ledger: { calls: turns.map((turn) => turn.call) },
  };
}
