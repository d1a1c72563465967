import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import { holdersOf, type RelayLevel } from "./levels.ts";

/** Problems to train on, or to measure on; the two never share one. */
export type RelaySplit = "train" | "evaluation";

/** A key and its value, for example `k6`. */
export interface RelayFact {
  readonly key: string;
  /** 0 to 9. */
  readonly value: number;
}

const keys = "abcdefghijklmnopqrstuvwxyz".split("");

/**
 * Draws a problem of one split. Holders see facts (`k6 m3`), everybody sees the question (`k+e`), the gold answer is
 * the sum of the two asked values. Keys are letters, all different; values are digits.
 */
export function generateRelayProblem(level: RelayLevel, random: Random, split: RelaySplit = "train"): Problem {
  for (;;) {
    const problem = drawProblem(level, random);
    if (relaySplit(problem) === split) return problem;
  }
}

/**
 * The split a problem belongs to: one in eight is kept for validation and test. A hash of the facts and the asked keys decides, whatever
 * their order and whoever holds them, so no test problem is a training problem rearranged.
 */
export function relaySplit(problem: Problem): RelaySplit {
  return randomFromSeed(`relay split ${relayContent(problem)}`).integer(8) === 0 ? "evaluation" : "train";
}

/** The facts and the asked keys, whatever their order and whoever holds them. */
export function relayContent(problem: Problem): string {
  const facts = Object.values(problem.views ?? {}).flatMap((view) => view.split(" "));
  return `${facts.toSorted().join(" ")}?${askedKeys(problem.question).toSorted().join("+")}`;
}

export function parseFacts(view: string): RelayFact[] {
  return Array.from(view.matchAll(/([a-z])([0-9])/g), ([, key = "", value]) => ({ key, value: Number(value) }));
}

export function askedKeys(question: string): string[] {
  return question.split("+");
}

function drawProblem(level: RelayLevel, random: Random): Problem {
  const shuffled = random.shuffle(keys);
  const hands = holdersOf(level).map((agent, holder) => ({
    agent,
    facts: shuffled
      .slice(holder * level.factsPerHolder, (holder + 1) * level.factsPerHolder)
      .map((key): RelayFact => ({ key, value: random.integer(10) })),
  }));
  const asked = random
    .shuffle(hands)
    .slice(0, 2)
    .map((hand) => random.pick(hand.facts));
  const views = hands.map(({ agent, facts }) => [agent, facts.map(({ key, value }) => `${key}${value}`).join(" ")]);
  const question = asked.map(({ key }) => key).join("+");
  return {
    id: `relay:${views.map(([, view]) => view).join("|")}?${question}`,
    question,
    gold: String(asked.reduce((sum, { value }) => sum + value, 0)),
    views: Object.fromEntries(views),
  };
}
