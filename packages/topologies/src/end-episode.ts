import {
  environmentName,
  isCutShort,
  type AgentId,
  type Episode,
  type LedgerCall,
  type Observation,
  type Problem,
  type StopReason,
  type Utterance,
  present,
} from "@laconic/core";
import type { Turn, TurnStep } from "./turn.ts";

/**
 * Builds the episode.
 * @param outputs - answer of each agent, if several answer
 */
export function endEpisode(
  topology: string,
  problem: Problem,
  turns: readonly Turn[],
  answer: Utterance | null,
  stopReason: StopReason,
  outputs?: Episode["outputs"],
): Episode {
  const { utterances, calls, observations } = flattened(turns);
  const readers = utterances.map(() => new Set<AgentId>());
  for (const call of calls)
    for (const read of call.reads) if (read.from !== environmentName) readers[read.turn]?.add(call.agent);
  return {
    problemId: problem.id,
    topology,
    utterances: utterances.map((utterance, turn) => ({
      ...utterance,
      deliveredTo: [...(readers[turn] ?? [])],
    })),
    answer: answer?.text ?? null,
    ...(outputs && { outputs }),
    ...(observations.length > 0 && { observations }),
    stopReason,
    ledger: { calls },
  };
}

function flattened(turns: readonly Turn[]): {
  readonly utterances: Utterance[];
  readonly calls: LedgerCall[];
  readonly observations: Observation[];
} {
  const utterances: Utterance[] = [];
  const calls: LedgerCall[] = [];
  const observations: Observation[] = [];
  let steps = 0;
  const places = turns.map((turn, i) => i + (steps += turn.steps?.length ?? 0));
  for (const { steps: before = [], utterance, call, reward } of turns) {
    let last: TurnStep | undefined;
    for (const step of [...before, { utterance, call, observed: { text: "", ...present({ reward }) } }]) {
      const turn = utterances.length;
      const reads = step.call.reads.map((read) => ({ ...read, turn: places[read.turn] ?? read.turn }));
      if (last) {
        const observation = { turn: turn - 1, agent: step.utterance.agent, ...last.observed, ...readBy(step, last) };
        reads.push({ from: environmentName, turn: turn - 1, tokens: observation.tokens });
        observations.push(observation);
      }
      utterances.push({ ...step.utterance, turn });
      calls.push({ ...step.call, turn, reads });
      last = step;
    }
    const turn = utterances.length - 1;
    if (reward !== undefined) observations.push({ turn, agent: utterance.agent, text: "", tokens: 0, reward });
  }
  return { utterances, calls, observations };
}

function readBy(next: Omit<TurnStep, "observed">, last: TurnStep): Pick<Observation, "tokens" | "rewritten"> {
  const { promptTokens, writtenTokens, reasoningTokens = 0 } = last.call;
  const tokens = Math.max(0, next.call.promptTokens - promptTokens - (writtenTokens - reasoningTokens));
  const [before, after] = [last.utterance.trace, next.utterance.trace];
  if (!before || !after) return { tokens };
  let index = 0;
  const isOther = (token: number): boolean => after.promptTokens[index++] !== token;
  const rewritten = before.promptTokens.some(isOther) || before.tokens.some(isOther);
  return { tokens, ...(rewritten && { rewritten }) };
}

export function endingOf(answer: Utterance | null): StopReason {
  if (answer === null) return "no_answer";
  return isCutShort(answer.finishReason) ? "truncated" : "answered";
}
