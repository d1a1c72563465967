import { quote } from "@laconic/topologies";
import { stepByStep } from "../prompts/chat.ts";
import { type Script, textOf } from "../protocols/script.ts";

/** What both sides of a round wrote. */
export interface Sides {
  readonly affirmative: string;
  readonly negative: string;
}

/** What MAD's agents are told. A chat remembers what was said, so that a question stands where its owner hears it first. */
export interface MadWords {
  readonly system: (agent: string, question: string) => string;
  /** The affirmative's first call, and the negative's. */
  readonly open: (question: string) => string;
  readonly disagree: (question: string, theirs: string) => string;
  /** To a side in later rounds. */
  readonly consider: (theirs: string) => string;
  /** @param round - from 0 */
  readonly moderate: (question: string, round: number, sides: Sides) => string;
  /** The judge's two calls. */
  readonly candidates: (question: string, sides: Sides) => string;
  readonly choose: (question: string) => string;
  /** Where the moderator's JSON has the answer. */
  readonly answerKey: string;
  /** The judge replies with such JSON too. */
  readonly judgeInJson: boolean;
}

/** Our words. */
export function ownMadWords(answerForm: string): MadWords {
  const debating = `You debate with another side. ${stepByStep} ${answerForm}`;
  const duties: Readonly<Record<string, string>> = {
    affirmative: debating,
    negative: debating,
    moderator:
      'You moderate a debate of two sides. After each round reply with JSON alone: {"preference": "affirmative" or "negative" or "none", "answer": the answer, or "" to go on}.',
    judge: `You judge a debate of two sides. ${answerForm}`,
  };
  const answerTo = (theirs: string, task: string): string => `The other side wrote:\n${quote(theirs)}\n\n${task}`;
  const both = ({ affirmative, negative }: Sides): string =>
    `Affirmative side:\n${quote(affirmative)}\n\nNegative side:\n${quote(negative)}`;
  return {
    system: (agent) => duties[agent] ?? "",
    open: (question) => question,
    disagree: (question, theirs) =>
      `${question}\n\n${answerTo(theirs, "You disagree. Give your reasons and your answer.")}`,
    consider: (theirs) => answerTo(theirs, "Do you agree? Give your reasons and your answer."),
    moderate: (question, round, sides) => `${round === 0 ? `${question}\n\n` : ""}Round ${round + 1}. ${both(sides)}`,
    candidates: (question, sides) =>
      `${question}\n\n${both(sides)}\n\nList the candidate answers of both sides, and do not choose yet.`,
    choose: () => "Choose one of the candidates, with your reasons.",
    answerKey: "answer",
    judgeInJson: false,
  };
}

const ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** The released words: templates whose values stand between double hashes. */
export function releasedMadWords(script: Script): MadWords {
  const of = (name: string, values: Readonly<Record<string, string>>): string =>
    textOf(script, name).replaceAll(/##(\w+)##/gu, (mark, key: string) => values[key] ?? mark);
  const sidesOf = ({ affirmative, negative }: Sides) => ({ aff_ans: affirmative, neg_ans: negative });
  const side = (agent: string): boolean => agent === "affirmative" || agent === "negative";
  return {
    system: (agent, question) => of(side(agent) ? "player" : "moderator", { debate_topic: question }),
    open: (question) => of("affirmative", { debate_topic: question }),
    disagree: (_, theirs) => of("negative", { aff_ans: theirs }),
    consider: (theirs) => of("debate", { oppo_ans: theirs }),
    moderate: (_, round, sides) => of("moderate", { round: ordinals[round] ?? String(round + 1), ...sidesOf(sides) }),
    candidates: (_, sides) => of("candidates", sidesOf(sides)),
    choose: (question) => of("choose", { debate_topic: question }),
    answerKey: "debate_answer",
    judgeInJson: true,
  };
}
