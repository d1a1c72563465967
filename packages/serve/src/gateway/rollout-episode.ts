import type { Episode, Utterance } from "@laconic/core";
import { callTokens } from "@laconic/core/ledger";
import type { RecordedCall } from "./rollout-record.ts";

/**
 * A rollout as an episode: each reply an utterance, in the order in which they were made. Who reads whom is the harness's own
 * affair: deliveries and reads are empty, so that costs count what is written, and never what is read.
 * @param answer - as the harness gives it; the last reply when undefined
 */
export function episodeOf(
  calls: readonly RecordedCall[],
  { problemId, answer }: { readonly problemId: string; readonly answer: string | null | undefined },
): Episode {
  const rounds = new Map<string, number>();
  const utterances = calls.map(({ agent, prompt, completion }, turn): Utterance => {
    const round = rounds.get(agent) ?? 0;
    rounds.set(agent, round + 1);
    const { text, finishReason, model, usage, trace } = completion;
    return {
      agent,
      turn,
      round,
      prompt,
      text,
      finishReason,
      model,
      silent: text === "",
      writtenTokens: usage.completionTokens,
      deliveredTo: [],
      ...(trace && { trace }),
    };
  });
  const finalAnswer = answer === undefined ? (utterances.at(-1)?.text ?? null) : answer;
  const notes = calls.some(({ kind }) => kind === "rerendered") ? ["rerendered"] : [];
  return {
    problemId,
    topology: "gateway",
    utterances,
    answer: finalAnswer,
    ...(notes.length > 0 && { notes }),
    stopReason: finalAnswer === null ? "no_answer" : "answered",
    ledger: {
      calls: calls.map(({ agent, completion }, turn) => ({
        turn,
        round: utterances[turn]?.round ?? 0,
        agent,
        ...callTokens(completion.usage),
        reads: [],
      })),
    },
  };
}
