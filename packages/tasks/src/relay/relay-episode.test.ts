import { ledgerTotals, randomFromSeed, type Episode, type LanguageModel } from "@laconic/core";
import { expect, test } from "vitest";
import { relayGrader } from "./grader.ts";
import { relayLevels, type RelayLevel } from "./levels.ts";
import { relayOracle, relayOracleTokens } from "./oracle.ts";
import { generateRelayProblem } from "./problem.ts";
import { relayEpisode } from "./topology.ts";
import { relayTeacher } from "./teacher.ts";

const levels = Object.values(relayLevels);
const episodes = 2000;

interface Figures {
  readonly accuracy: number;
  readonly meanTokens: number;
  readonly minTokens: number;
}

/** How one model fares as a whole team. */
async function measure(level: RelayLevel, model: LanguageModel): Promise<Figures> {
  const random = randomFromSeed("measure");
  let right = 0;
  let written = 0;
  let minTokens = Infinity;
  for (let i = 0; i < episodes; i++) {
    const problem = generateRelayProblem(level, random, i % 2 === 0 ? "train" : "evaluation");
    const episode = await relayEpisode(level, problem, model, random.split(i));
    const tokens = ledgerTotals(episode.ledger).writtenTokens;
    right += relayGrader(episode.answer, problem);
    written += tokens;
    minTokens = Math.min(minTokens, tokens);
  }
  return { accuracy: right / episodes, meanTokens: written / episodes, minTokens };
}

// "the value of k is 6" and its end token: 20, "k is 6": 7, "k6": 3; "i have nothing for this one": 28, silence: 1;
// "the answer is " 14, "it is " 6, "": each with 1.45 digits and an end token.
const reported = 0.6 * 20 + 0.3 * 7 + 0.1 * 3;
const nothing = 0.85 * 28 + 0.15 * 1;
const answer = 0.4 * 14 + 0.3 * 6 + 1.45 + 1;

test.each([
  ["one-fact", 62.6],
  ["two-facts", 62.6],
  ["four-holders", 86.55],
] as const)("%s: the teacher is always right and writes %s tokens per episode", async (name, tokens) => {
  const level = relayLevels[name];
  expect(2 * reported + (level.holders - 2) * nothing + answer).toBeCloseTo(tokens, 10);
  const { accuracy, meanTokens } = await measure(level, relayTeacher());
  expect(accuracy).toBe(1);
  expect(Math.abs(meanTokens - tokens)).toBeLessThan(1.2); // four standard errors of 2,000 episodes
});

test.each([
  ["one-fact", 7.25],
  ["two-facts", 7.25],
  ["four-holders", 8.25],
] as const)("%s: the oracle is always right with the least tokens, %s per episode", async (name, tokens) => {
  const level = relayLevels[name];
  expect(relayOracleTokens(level)).toBeCloseTo(tokens, 12);
  const { accuracy, meanTokens, minTokens } = await measure(level, relayOracle());
  expect(accuracy).toBe(1);
  expect(Math.abs(meanTokens - tokens)).toBeLessThan(0.06); // four standard errors
  expect(minTokens).toBeGreaterThanOrEqual(level.holders + 1 + 1); // every end token and one digit
});

test("a transcript of the first level", async () => {
  const level = relayLevels["one-fact"];
  const problem = {
    id: "p",
    question: "k+e",
    gold: "15",
    views: { "holder-a": "k6", "holder-b": "m3", "holder-c": "e9" },
  };
  const terse = { verbose: 0, short: 0, terse: 1 };
  const teacher = relayTeacher({ messages: terse, answers: terse, silence: 1 });
  const episode: Episode = await relayEpisode(level, problem, teacher, randomFromSeed(1));
  expect(episode.utterances.map(({ prompt, text }) => prompt + text)).toEqual([
    "A:k6?k+e>k6",
    "B:m3?k+e>",
    "C:e9?k+e>e9",
    "S:k+e?k6||e9>15",
  ]);
  expect(ledgerTotals(episode.ledger)).toMatchObject({ writtenTokens: 10, readTokens: 4, promptTokens: 3 * 8 + 12 });
  expect([episode.answer, episode.stopReason, episode.topology]).toEqual(["15", "answered", "relay/one-fact"]);
});

test("the longest sentences fit", async () => {
  for (const level of levels) {
    const chatty = { verbose: 1, short: 0, terse: 0 };
    const teacher = relayTeacher({ messages: chatty, answers: chatty, silence: 0 });
    const random = randomFromSeed("fit");
    for (let i = 0; i < 100; i++) {
      const episode = await relayEpisode(level, generateRelayProblem(level, random), teacher, random.split(i));
      expect(episode.utterances.every((utterance) => utterance.finishReason === "stop")).toBe(true);
    }
  }
});
