import type { Episode, Utterance } from "../episode/episode.ts";
import { inputError } from "../errors.ts";
import type { LedgerCall } from "../ledger/ledger.ts";
import type { AgentId } from "../problem.ts";

/** Turn of a scripted conversation. */
export interface ScriptedTurn {
  readonly agent: AgentId;
  /** Empty for silence. */
  readonly text: string;
  /** Earlier turns that were read, except silent ones. Default: none. */
  readonly reads?: readonly number[];
  /** Default: one per character plus the end token. */
  readonly writtenTokens?: number;
  readonly round?: number;
}

/**
 * Creates a finished episode with consistent utterances and ledger, for tests of rewards and metrics. A message
 * delivers its written tokens without the end token. The last turn answers unless `episode.answer` is set.
 * @throws LaconicError `input_invalid` for a turn that reads a silent or later one
 */
export function scriptedEpisode(turns: readonly ScriptedTurn[], episode: Partial<Episode> = {}): Episode {
  const written = turns.map(({ text, writtenTokens }) => writtenTokens ?? Array.from(text).length + 1);
  const calls = turns.map(({ agent, round = 0, reads = [] }, turn): LedgerCall => {
    const received = reads.map((source) => {
      const read = turns[source];
      if (!read || source >= turn || read.text === "")
        throw inputError(`turn ${turn} reads turn ${source}, which is silent or not earlier`, { turn, source });
      return { from: read.agent, turn: source, tokens: (written[source] as number) - 1 };
    });
    return { turn, round, agent, promptTokens: 0, writtenTokens: written[turn] as number, reads: received };
  });
  const utterances = turns.map(({ agent, text, round = 0 }, turn): Utterance => ({
    agent,
    turn,
    round,
    prompt: "",
    text,
    silent: text === "",
    writtenTokens: written[turn] as number,
    deliveredTo: [
      ...new Set(calls.filter((call) => call.reads.some((read) => read.turn === turn)).map((call) => call.agent)),
    ],
    finishReason: "stop",
    model: { id: "scripted", weightVersion: 0 },
  }));
  return {
    problemId: "problem",
    topology: "scripted",
    utterances,
    answer: turns.at(-1)?.text ?? null,
    stopReason: turns.length === 0 ? "no_answer" : "answered",
    ledger: { calls },
    ...episode,
  };
}
