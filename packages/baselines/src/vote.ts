import type { AnswerReader } from "./baseline.ts";

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

/** The winner's position; null when no reply gives an answer. */
export function plurality(replies: readonly string[], reader: AnswerReader): number | null {
  return countVotes(replies, reader)[0]?.first ?? null;
}
