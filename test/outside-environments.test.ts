import { randomFromSeed, type Episode, type Problem } from "../packages/core/src/index.ts";
import { scriptedModel } from "../packages/core/src/testing/index.ts";
import { environmentCases, type EnvironmentSubject } from "../packages/tasks/src/testing/index.ts";
import { describe, expect, test } from "vitest";
import { guessing, task as guessNumber } from "../examples/guess-number.ts";
import { kuhnPoker, task as poker } from "../examples/kuhn-poker.ts";
import { readText } from "./workspace.ts";

/** What scripted players said in environments of others, and earned by their code. */
interface Played {
  readonly "kuhn-poker": readonly {
    readonly cards: readonly [string, string];
    readonly texts: readonly [readonly string[], readonly string[]];
    readonly rewards: readonly number[];
    readonly forfeits: readonly number[];
  }[];
  readonly "guess-number": readonly {
    readonly gold: number;
    readonly texts: readonly string[];
    readonly rewards: readonly number[];
  }[];
}

/** Recorded from verifiers and tinker-cookbook, 50 episodes each. */
const recorded = JSON.parse(readText("test/outside-environments/episodes.json")) as Played;

type Task = typeof poker;

async function play(
  { topology, reward }: Task,
  problem: Problem,
  texts: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly episode: Episode; readonly earned: unknown }> {
  const models = Object.fromEntries(Object.entries(texts).map(([agent, own]) => [agent, scriptedModel(own, agent)]));
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  const episode = await topology.run(problem, context);
  return { episode, earned: await reward?.(episode, problem, { signal: new AbortController().signal }) };
}

/** What each agent wrote: an agent that theirs asked no more is asked no more here. */
const written = ({ utterances }: Episode, agent: string): string[] =>
  utterances.filter((utterance) => utterance.agent === agent).map(({ text }) => text);

async function checkPoker({ "kuhn-poker": hands }: Played): Promise<void> {
  for (const { cards, texts, rewards, forfeits } of hands) {
    const views = { player0: cards[0], player1: cards[1] };
    const reply = { player0: texts[0], player1: texts[1] };
    const { episode, earned } = await play(poker, { id: "hand", question: "Hand", gold: "", views }, reply);
    expect(earned).toMatchObject({
      agents: { player0: { chips: rewards[0] }, player1: { chips: rewards[1] } },
      score: forfeits.includes(1) ? 0 : 1,
    });
    for (const [agent, own] of Object.entries(reply)) expect(written(episode, agent)).toEqual(own);
  }
}

async function checkGuesses({ "guess-number": games }: Played): Promise<void> {
  for (const { gold, texts, rewards } of games) {
    const problem = { id: "game", question: "Which number is it?", gold: String(gold) };
    const { episode, earned } = await play(guessNumber, problem, { player: texts });
    expect(written(episode, "player")).toEqual(texts);
    expect(episode.observations?.map(({ reward }) => reward)).toEqual(rewards);
    const total = rewards.reduce((sum, reward) => sum + reward, 0);
    expect(earned).toMatchObject({ team: { environment: total }, score: rewards.at(-1) === 1 ? 1 : 0 });
  }
}

test("50 recorded hands of Kuhn poker from verifiers have equal payoffs", async () => {
  expect(recorded["kuhn-poker"]).toHaveLength(50);
  // Folds, calls and checks, won and lost, and hands that somebody forfeits: each payoff is there.
  expect(new Set(recorded["kuhn-poker"].map(({ rewards }) => rewards[0]))).toEqual(new Set([1, -1, 2, -2]));
  await checkPoker(recorded);
});

test("50 recorded guessing games from tinker-cookbook have equal rewards at every step", async () => {
  expect(recorded["guess-number"]).toHaveLength(50);
  const ends = recorded["guess-number"].map(({ rewards }) => rewards.at(-1));
  expect(new Set(ends)).toEqual(new Set([1, 0, -1]));
  await checkGuesses(recorded);
});

test("a truncated reply forfeits its own hand only", async () => {
  const views = { player0: "K", player1: "J" };
  const texts = { player0: ["x".repeat(300)], player1: ["[check]"] };
  const { episode, earned } = await play(poker, { id: "hand", question: "Hand", gold: "", views }, texts);
  expect(episode.utterances.map(({ agent }) => agent)).toEqual(["player0", "player1"]);
  expect(earned).toMatchObject({ agents: { player0: { chips: -1 }, player1: { chips: 1 } }, score: 0 });
});

const subjects: Readonly<Record<string, () => EnvironmentSubject>> = {
  "kuhn-poker": () => ({
    environment: kuhnPoker,
    problem: { id: "hand", question: "Hand", gold: "" },
    texts: ["fold", "[bet]"],
    agent: "player0",
  }),
  "guess-number": () => ({
    environment: guessing,
    problem: { id: "game", question: "Which?", gold: "7" },
    texts: ["Guess: 5", "9", "Guess: 7"],
  }),
};

describe.each(Object.entries(subjects))("%s", (_, create) => {
  test.each(environmentCases)("$name", ({ run }) => run(create));
});
