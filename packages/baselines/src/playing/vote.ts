import type { Utterance } from "@laconic/core";
import type { Turn } from "@laconic/topologies";
import type { AnswerReader } from "../protocols/baseline.ts";

export interface VoteClass {
  readonly first: number;
  readonly answer: string;
  readonly votes: number;
}

/** Counts replies with an answer, sorted by votes. Ties keep the first seen. */
export function countVotes(replies: readonly string[], { read, same }: AnswerReader): VoteClass[] {
  const classes: { first: number; answer: string; votes: number }[] = [];
  replies.forEach((reply, position) => {
    const answer = read(reply);
    if (answer === null) return;
    const match = classes.find((item) => same(item.answer, answer));
    if (match) match.votes++;
    else classes.push({ first: position, answer, votes: 1 });
  });
  return classes.toSorted((a, b) => b.votes - a.votes);
}

export function pluralityOf(turns: readonly Turn[], reader: AnswerReader): Utterance | null {
  const [winner] = countVotes(
    turns.map(({ utterance }) => utterance.text),
    reader,
  );
  return winner ? (turns[winner.first]?.utterance ?? null) : null;
}

export function textOfTurn(turn: Turn | undefined): string {
  return turn?.utterance.text ?? "";
}
