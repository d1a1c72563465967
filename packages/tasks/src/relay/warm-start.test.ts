import { randomFromSeed } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { warmStartCurriculum } from "./curriculum.ts";
import { relayGrader } from "./grader.ts";
import { relayLevels } from "./levels.ts";
import { readRelayPrompt } from "./prompts.ts";
import { relaySplit } from "./problem.ts";
import { relayTokenizer } from "./tokenizer.ts";
import { warmStartBatch, warmStartExamples, type WarmStartExample } from "./warm-start.ts";

const textOf = ({ completionTokens }: WarmStartExample): string => relayTokenizer.decode(completionTokens);

describe.each(Object.values(relayLevels))("$name", (level) => {
  const curriculum = warmStartCurriculum(level);

  test("a curriculum ends at the level itself, in every style, and its shares add up to 1", () => {
    expect(curriculum.reduce((sum, phase) => sum + phase.share, 0)).toBeCloseTo(1, 12);
    const last = curriculum.at(-1);
    expect(last?.level).toEqual(level);
    expect(last?.spoken.messages).toEqual({ verbose: 0.6, short: 0.3, terse: 0.1 });
    expect(curriculum.length).toBe(level.factsPerHolder === 1 ? 1 : 3);
    expect(JSON.parse(JSON.stringify(curriculum))).toEqual(curriculum);
  });

  test.each(curriculum)("$name: one problem teaches every agent, from training problems only", (phase) => {
    const random = randomFromSeed("examples");
    for (let i = 0; i < 300; i++) {
      const examples = warmStartExamples(phase, random);
      expect(examples.map(({ agent }) => agent)).toEqual([
        ...["holder-a", "holder-b", "holder-c", "holder-d"].slice(0, level.holders),
        "solver",
      ]);
      const prompts = examples.map(({ promptTokens }) => readRelayPrompt(promptTokens));
      prompts.forEach(({ agent }, position) => expect(agent).toBe(examples[position]?.agent));
      const { question } = prompts[0] ?? { question: "" };
      const views = Object.fromEntries(prompts.slice(0, -1).map(({ agent, facts }) => [agent, facts]));
      expect(relaySplit({ id: "", gold: "", question, views })).toBe("train");
      for (const { completionTokens } of examples) {
        expect(completionTokens.at(-1)).toBe(relayTokenizer.endToken);
        expect(completionTokens.indexOf(relayTokenizer.endToken)).toBe(completionTokens.length - 1);
      }
      const values = question
        .split("+")
        .map((key) => Number(new RegExp(`${key}(\\d)`).exec(Object.values(views).join(" "))?.[1]));
      const gold = String(values.reduce((a, b) => a + b, 0));
      const answer = examples.at(-1);
      expect(answer && relayGrader(textOf(answer), { id: "", question, gold })).toBe(1);
    }
  });
});

function share(texts: readonly string[], pattern: RegExp): number {
  return texts.filter((text) => pattern.test(text)).length / texts.length;
}

describe("a batch", () => {
  const [phase] = warmStartCurriculum(relayLevels["one-fact"]);
  const batch = phase ? warmStartBatch(phase, 6000, randomFromSeed("batch")) : [];

  test("is half holders, half solver, and repeats with its seed", () => {
    expect(batch.filter(({ agent }) => agent === "solver")).toHaveLength(3000);
    for (const holder of ["holder-a", "holder-b", "holder-c"])
      expect(batch.filter(({ agent }) => agent === holder).length / 3000).toBeCloseTo(1 / 3, 1);
    expect(phase && warmStartBatch(phase, 6000, randomFromSeed("batch"))).toEqual(batch);
  });

  test("lets the solver hear terse messages and silence far more often than holders are taught them", () => {
    const heard = batch.flatMap(({ promptTokens }) => readRelayPrompt(promptTokens).messages);
    const taught = batch.filter(({ agent }) => agent !== "solver").map(textOf);
    // Two of three messages carry a fact.
    expect(share(heard, /^[a-z][0-9]$/)).toBeCloseTo((2 / 3) * (1 / 3), 1);
    expect(share(taught, /^[a-z][0-9]$/)).toBeCloseTo((2 / 3) * 0.1, 1);
    expect(share(heard, /^$/)).toBeCloseTo((1 / 3) * 0.5, 1);
    expect(share(taught, /^$/)).toBeCloseTo((1 / 3) * 0.15, 1);
  });
});
