import type { Episode, Utterance } from "../episode/episode.ts";
import { LaconicError } from "../errors.ts";
import type { LedgerCall } from "../ledger/ledger.ts";
import type { AgentId } from "../problem.ts";

/** One turn of a made-up conversation. */
export interface ScriptedTurn {
  readonly agent: AgentId;
  /** Empty is silence. */
  readonly text: string;
  /** Earlier turns that were read; none when absent. A silent turn cannot be read. */
  readonly reads?: readonly number[];
  /** Defaults to one token per character and one end token. */
  readonly writtenTokens?: number;
  readonly round?: number;
}

/**
 * A finished episode from its turns, utterances and ledger in agreement, for testing rewards and metrics.
 * A message delivers its written tokens but the end token. The last turn answers unless `episode.answer` says otherwise.
 *
 * @throws LaconicError `input_invalid` when a turn reads one that is silent or not earlier.
 */
export function scriptedEpisode(turns: readonly ScriptedTurn[], episode: Partial<Episode> = {}): Episode {
  const written = turns.map(({ text, writtenTokens }) => writtenTokens ?? Array.from(text).length + 1);
  const calls = turns.map(({ agent, round = 0, reads = [] }, turn): LedgerCall => {
    const received = reads.map((source) => {
      const read = turns[source];
      if (!read || source >= turn || read.text === "")
        throw new LaconicError("input_invalid", `turn ${turn} reads turn ${source}, which is silent or not earlier`, {
          turn,
          source,
        });
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
