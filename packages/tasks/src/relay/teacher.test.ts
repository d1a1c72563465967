import { ledgerTotals, randomFromSeed, type CompletionRequest, type LanguageModel, type Random } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { askedKeys, generateRelayProblem, holdersOf, parseFacts, relayLevels, relaySplit } from "./problem.ts";
import type { RelayLevelName } from "./problem.ts";
import { holderPrompt, readRelayPrompt } from "./prompts.ts";
import { relayEpisode, relayGrader } from "./task.ts";
import {
  relayOracleTokens,
  relayTeacher,
  relayTeacherSettings,
  scriptedAgent,
  teacherAnswer,
  teacherMessage,
  warmStartBatch,
  warmStartCurriculum,
  warmStartExample,
} from "./teacher.ts";
import type { RelayTeacherSettings, WarmStartExample } from "./teacher.ts";
import { relayTokenizer } from "./tokenizer.ts";

function frequencies(draw: (random: Random) => string): Record<string, number> {
  const random = randomFromSeed("frequencies");
  const counts: Record<string, number> = {};
  for (let i = 0; i < 20_000; i++) {
    const text = draw(random);
    counts[text] = (counts[text] ?? 0) + 1 / 20_000;
  }
  return counts;
}

const sums = ["k6", "i have nothing for this one", "the value of e is 9"];

test.each<[string, (random: Random) => string, Record<string, number>]>([
  [
    "an asked fact is worded in three styles",
    (random) => teacherMessage("m3 k6", "k+e", random, relayTeacherSettings),
    { "the value of k is 6": 0.6, "k is 6": 0.3, k6: 0.1 },
  ],
  [
    "without an asked fact it mostly says so",
    (random) => teacherMessage("m3", "k+e", random, relayTeacherSettings),
    { "": 0.15, "i have nothing for this one": 0.85 },
  ],
  [
    "the answer adds up values in any style",
    (random) => teacherAnswer("k+e", sums, random, relayTeacherSettings),
    { "the answer is 15": 0.4, "it is 15": 0.3, "15": 0.3 },
  ],
  [
    "a missing value leaves it empty",
    (random) => teacherAnswer("k+e", ["k6", ""], random, relayTeacherSettings),
    { "": 1 },
  ],
  ["zero counts", (random) => teacherAnswer("k+e", ["k is 0", "", "e0"], random, relayTeacherSettings), { "0": 0.3 }],
])("%s", (_, draw, expected) => {
  const shares = frequencies(draw);
  for (const [text, share] of Object.entries(expected))
    expect(Math.abs((shares[text] ?? 0) - share)).toBeLessThan(0.015);
});

test.each<[string, Partial<RelayTeacherSettings>]>([
  ["a mix below 1", { messages: { verbose: 0.6, short: 0.3, terse: 0 } }],
  ["a negative share", { answers: { verbose: 1.1, short: -0.1, terse: 0 } }],
  ["a share that is no number", { answers: { verbose: Number.NaN, short: 0.5, terse: 0.5 } }],
  ["silence above 1", { silence: 1.5 }],
  ["silence that is no number", { silence: Number.NaN }],
])("%s is refused", (_, change) => {
  const invalid = expect.objectContaining({ code: "config_invalid" });
  expect(() => relayTeacher({ ...relayTeacherSettings, ...change })).toThrow(invalid);
});

const request: CompletionRequest = {
  prompt: { kind: "tokens", tokens: holderPrompt("holder-a", "k6", "k+e") },
  sampling: { temperature: 1, maxTokens: 3 },
  random: randomFromSeed(1).state(),
};

test("a reply is counted with its end token, and cut without one", async () => {
  const fits = await scriptedAgent("s", ({ facts }) => facts).complete(request);
  const usage = { promptTokens: 8, completionTokens: 3, counted: "model" };
  expect([fits.text, fits.finishReason, fits.usage]).toEqual(["k6", "stop", usage]);
  const cut = await scriptedAgent("s", ({ question }) => question).complete(request);
  expect([cut.text, cut.finishReason, cut.usage.completionTokens]).toEqual(["k+e", "length", 3]);
});

test.each([
  [{ signal: AbortSignal.abort() }, { code: "aborted" }],
  [{ prompt: { kind: "text", text: "k6" } as const }, { code: "input_invalid" }],
  [{}, { code: "input_invalid", detail: { character: "N" } }],
])("a fired signal, another kind of prompt and a reply outside the vocabulary reject", async (change, error) => {
  await expect(scriptedAgent("s", () => "NO").complete({ ...request, ...change })).rejects.toMatchObject(error);
});

const episodes = 2000;

async function measure(name: RelayLevelName, model: LanguageModel): Promise<{ accuracy: number; meanTokens: number }> {
  const level = relayLevels[name];
  const random = randomFromSeed("measure");
  let [right, written] = [0, 0];
  for (let i = 0; i < episodes; i++) {
    const problem = generateRelayProblem(level, random, i % 2 === 0 ? "train" : "evaluation");
    const episode = await relayEpisode(level, problem, model, random.split(i));
    right += relayGrader(episode.answer, problem);
    written += ledgerTotals(episode.ledger).writtenTokens;
  }
  return { accuracy: right / episodes, meanTokens: written / episodes };
}

/** A team that reaches the least tokens: an asked holder writes its bare digit, silence is zero, the solver adds up. */
const oracle = scriptedAgent("oracle", ({ agent, question, facts, messages }) => {
  if (agent === "solver") return String(messages.reduce((sum, message) => sum + Number(message), 0));
  const value = parseFacts(facts).find(({ key }) => askedKeys(question).includes(key))?.value ?? 0;
  return value === 0 ? "" : String(value);
});

test.each([
  ["one-fact", 62.6, 7.25],
  ["two-facts", 62.6, 7.25],
  ["four-holders", 86.55, 8.25],
] as const)(
  "%s: the teacher writes %s tokens per episode, the oracle %s; both are always right",
  async (name, taught, least) => {
    expect(relayOracleTokens(relayLevels[name])).toBeCloseTo(least, 12);
    const teacher = await measure(name, relayTeacher());
    expect(teacher.accuracy).toBe(1);
    expect(Math.abs(teacher.meanTokens - taught)).toBeLessThan(1.2); // four standard errors of 2,000 episodes
    const best = await measure(name, oracle);
    expect(best.accuracy).toBe(1);
    expect(Math.abs(best.meanTokens - least)).toBeLessThan(0.06);
  },
);

const textOf = ({ completionTokens }: WarmStartExample): string => relayTokenizer.decode(completionTokens);

describe.each(Object.values(relayLevels))("the warm start of $name", (level) => {
  const curriculum = warmStartCurriculum(level);

  test("ends at the level itself, in every style, and its shares add up to 1", () => {
    expect(curriculum.reduce((sum, phase) => sum + phase.share, 0)).toBeCloseTo(1, 12);
    expect(curriculum.at(-1)).toMatchObject({ level, spoken: relayTeacherSettings });
    expect(curriculum.length).toBe(level.factsPerHolder === 1 ? 1 : 3);
    expect(JSON.parse(JSON.stringify(curriculum))).toEqual(curriculum);
  });

  test.each(curriculum)("$name: one problem teaches every agent", (phase) => {
    const random = randomFromSeed("examples");
    for (let i = 0; i < 100; i++) {
      const problem = generateRelayProblem(phase.level, random);
      for (const agent of [...holdersOf(phase.level), "solver"]) {
        const example = warmStartExample(phase, problem, agent, random);
        const prompt = readRelayPrompt(example.promptTokens);
        expect([prompt.agent, prompt.question, prompt.facts]).toEqual([
          agent,
          problem.question,
          problem.views?.[agent] ?? "",
        ]);
        expect(example.completionTokens.indexOf(relayTokenizer.endToken)).toBe(example.completionTokens.length - 1);
        expect(agent !== "solver" || relayGrader(textOf(example), problem) === 1).toBe(true);
      }
    }
  });
});

describe("a batch", () => {
  const [phase = null] = warmStartCurriculum(relayLevels["one-fact"]);
  const batch = phase ? warmStartBatch(phase, 6000, randomFromSeed("batch")) : [];
  const share = (texts: readonly string[], pattern: RegExp): number =>
    texts.filter((text) => pattern.test(text)).length / texts.length;

  test("is half holders, half solver, and never has a test problem", () => {
    expect(batch.filter(({ agent }) => agent === "solver")).toHaveLength(3000);
    for (const holder of ["holder-a", "holder-b", "holder-c"])
      expect(batch.filter(({ agent }) => agent === holder).length / 3000).toBeCloseTo(1 / 3, 1);
    const level = relayLevels["one-fact"];
    const drawn = Array.from({ length: 500 }, (_, i) => generateRelayProblem(level, randomFromSeed(i)));
    expect(drawn.every((problem) => relaySplit(problem) === "train")).toBe(true);
  });

  test("lets the solver read terse messages and silence far more often than holders are taught them", () => {
    const received = batch.flatMap(({ promptTokens }) => readRelayPrompt(promptTokens).messages);
    const taught = batch.filter(({ agent }) => agent !== "solver").map(textOf);
    // Two of three messages carry a fact.
    expect(share(received, /^[a-z][0-9]$/)).toBeCloseTo((2 / 3) * (1 / 3), 1);
    expect(share(taught, /^[a-z][0-9]$/)).toBeCloseTo((2 / 3) * 0.1, 1);
    expect(share(received, /^$/)).toBeCloseTo((1 / 3) * 0.5, 1);
    expect(share(taught, /^$/)).toBeCloseTo((1 / 3) * 0.15, 1);
  });
});
