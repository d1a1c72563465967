import type { Utterance } from "@laconic/core";
import type { Turn } from "@laconic/topologies";
import type { AnswerReader } from "../protocols/baseline.ts";

/** One class of equal answers, in the order in which it was first seen. */
export interface VoteClass {
  /** The first reply of the class, by position among the replies. */
  readonly first: number;
  readonly answer: string;
  readonly votes: number;
}

/**
 * Counts replies by the answer they give. Replies without an answer do not vote. Classes come by votes; of two with as
 * many, the first seen wins, as in every source.
 */
export function countVotes(replies: readonly string[], { read, same }: AnswerReader): VoteClass[] {
  const classes: { first: number; answer: string; votes: number }[] = [];
  replies.forEach((reply, position) => {
    const answer = read(reply);
    if (answer === null) return;
    const found = classes.find((each) => same(each.answer, answer));
    if (found) found.votes++;
    else classes.push({ first: position, answer, votes: 1 });
  });
  return classes.toSorted((a, b) => b.votes - a.votes);
}

/** What the plurality said first; null when no reply gives an answer. */
export function pluralityOf(turns: readonly Turn[], reader: AnswerReader): Utterance | null {
  const [winner] = countVotes(
    turns.map(({ utterance }) => utterance.text),
    reader,
  );
  return winner ? (turns[winner.first]?.utterance ?? null) : null;
}

/** The text of a turn; empty for a call that was not made. */
export function textOfTurn(turn: Turn | undefined): string {
  return turn?.utterance.text ?? "";
}
