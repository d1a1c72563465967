import { randomFromSeed, type AgentId, type Problem, type Random } from "@laconic/core";

/** Difficulty: the answer is the sum of two holders' values. */
export interface RelayLevel {
  readonly name: RelayLevelName;
  /** 3 or 4 agents with private facts. */
  readonly holders: number;
  /** More than one requires a lookup. */
  readonly factsPerHolder: number;
}

/** Name of a level. */
export type RelayLevelName = "one-fact" | "two-facts" | "four-holders";

/** Levels, easiest first. */
export const relayLevels: Readonly<Record<RelayLevelName, RelayLevel>> = {
  /** Used by the quickstart. */
  "one-fact": { name: "one-fact", holders: 3, factsPerHolder: 1 },
  "two-facts": { name: "two-facts", holders: 3, factsPerHolder: 2 },
  /** Two of four holders have nothing to add. */
  "four-holders": { name: "four-holders", holders: 4, factsPerHolder: 2 },
};

/** Holders in speaking order. */
export const relayHolders: readonly AgentId[] = ["holder-a", "holder-b", "holder-c", "holder-d"];

/** Answering agent, which never sees a fact. */
export const relaySolver: AgentId = "solver";

export function holdersOf(level: RelayLevel): readonly AgentId[] {
  return relayHolders.slice(0, level.holders);
}

/** Splits share no problem. */
export type RelaySplit = "train" | "evaluation";

export interface RelayFact {
  readonly key: string;
  /** 0 to 9. */
  readonly value: number;
}

export const letters: readonly string[] = "abcdefghijklmnopqrstuvwxyz".split("");

/** Draws private facts (`k6 m3`), question (`k+e`), and their sum. */
export function generateRelayProblem(level: RelayLevel, random: Random, split: RelaySplit = "train"): Problem {
  return drawUntil(
    () => drawProblem(level, random),
    (problem) => relaySplit(problem) === split,
  );
}

/** Keeps one in eight for evaluation, in any order of facts and keys. */
export function relaySplit(problem: Problem): RelaySplit {
  return isKept(`relay split ${relayContent(problem)}`) ? "evaluation" : "train";
}

export function isKept(text: string): boolean {
  return randomFromSeed(text).integer(8) === 0;
}

export function drawUntil(draw: () => Problem, fits: (problem: Problem) => boolean): Problem {
  for (;;) {
    const problem = draw();
    if (fits(problem)) return problem;
  }
}

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
  const shuffled = random.shuffle(letters);
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
