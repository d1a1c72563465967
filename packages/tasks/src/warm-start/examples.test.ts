import { randomFromSeed, type TrainingSequence } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { letters } from "../../test/letters.ts";
import { budgetPrompt, trainedBudgets } from "../stories/budget.ts";
import { holderTemplates } from "../stories/families.ts";
import { knownNames, unseenNames } from "../stories/lexicon.ts";
import { budgetExamples, budgetStories } from "./budgets.ts";
import { copyingExamples, namedStories, shortClauses } from "./copying.ts";
import { ownerExamples } from "./owners.ts";

const retained = new RegExp(`\\b(?:${unseenNames.join("|")})\\b`, "u");
const read = (examples: readonly TrainingSequence[]) =>
  examples.map(({ promptTokens, completionTokens }) => ({
    prompt: letters.decode(promptTokens),
    said: letters.decode(completionTokens),
  }));

test("lessons copy a name from their prompt, and no held-out name", () => {
  const texts = read(copyingExamples(letters, 200, randomFromSeed(7))).map(({ prompt, said }) => ({
    prompt,
    name: /[A-Za-z]+/u.exec(said)?.[0] ?? "",
  }));
  expect(
    texts.every(({ prompt, name }) => name !== "" && prompt.includes(` ${name}`) !== prompt.startsWith(name)),
  ).toBe(true);
  expect(texts.filter(({ prompt }) => retained.test(prompt))).toEqual([]);
  const known = texts.filter(({ name }) => knownNames.includes(name)).length;
  expect(known).toBeGreaterThan(20);
  expect(known).toBeLessThan(65);
});

test("examples of owners name the child in the prompt, or say nothing for any reader", () => {
  const texts = read(ownerExamples(letters, 600, randomFromSeed(7), ["was sad"]));
  const silent = texts.filter(({ said }) => said === "\n");
  const named = texts.filter(({ said }) => said !== "\n");
  expect(silent.length / texts.length).toBeGreaterThan(0.04);
  expect(silent.length / texts.length).toBeLessThan(0.1);
  const nameIn = (reply: string): string => /[A-Z][a-z]+/u.exec(reply)?.[0] ?? "?";
  expect(named.filter(({ prompt, said }) => !prompt.includes(nameIn(said)))).toEqual([]);
  expect(texts.filter(({ prompt }) => retained.test(prompt))).toEqual([]);
});

test("labelled examples are silent of all who know nothing, and of no other", () => {
  const texts = read(ownerExamples(letters, 600, randomFromSeed(7), ["was sad"], "labelled"));
  const telling = texts.filter(({ prompt }) => /Mom found the [a-z ]+\.$/u.test(prompt));
  const silent = telling.filter(({ said }) => said === "\n");
  expect(silent.length / telling.length).toBeGreaterThan(0.4);
  expect(silent.length / telling.length).toBeLessThan(0.6);
  const tells = ({ prompt }: { readonly prompt: string }): boolean => {
    const thing = /Mom found the (.+)\.$/u.exec(prompt)?.[1] ?? "";
    return Object.values(holderTemplates.train).some((make) =>
      new RegExp(`^${make("[A-Za-z]+", thing)} Mom`, "u").test(prompt),
    );
  };
  expect(silent.filter((item) => tells(item))).toEqual([]);
  expect(telling.filter(({ said }) => said !== "\n").every((item) => tells(item))).toBe(true);
});

test("deeds are the model's short clauses about other children, each once", () => {
  const long = " went to the park with her mom and her dog";
  const replies = [" was sad", " was sad", long, "ette was sad", " and Tom were sad", ' said, "no"', " smiled"];
  expect(shortClauses(replies)).toEqual(["was sad", "smiled"]);
  const stories = namedStories(50, randomFromSeed(4));
  expect(stories.every((text) => knownNames.includes(/One day, ([A-Za-z]+)$/u.exec(text)?.[1] ?? ""))).toBe(true);
});

describe("lessons", () => {
  const saying = (length: number, name = "Lily") => ({
    child: { name, thing: "red ball" },
    tokens: Array<number>(length).fill(65),
  });

  test("a text follows its story and has the story's length as its budget", () => {
    const draw = budgetExamples(letters, [saying(4), saying(8, "Tom")]);
    const lessons = draw(200, randomFromSeed(1));
    const reported = read(lessons).map(({ prompt, said }) => `${prompt} ${said.length}`);
    const [four, eight] = [
      budgetPrompt({ name: "Lily", thing: "red ball" }, 4),
      budgetPrompt({ name: "Tom", thing: "red ball" }, 8),
    ];
    expect(new Set(reported)).toEqual(new Set([`${four} 4`, `${eight} 8`]));
    expect(draw(200, randomFromSeed(1))).toEqual(lessons);
  });

  test("no budget that is kept back is taught, and every text of training's lengths can be", () => {
    const replies = Array.from({ length: 36 }, (_, i) => saying(i + 1));
    const lessons = budgetExamples(letters, replies)(1000, randomFromSeed(2));
    expect(new Set(lessons.map(({ completionTokens }) => completionTokens.length))).toEqual(new Set(trainedBudgets));
    expect(budgetExamples(letters, [saying(6), saying(7)])(5, randomFromSeed(2))).toEqual([]);
  });

  test("a length of few texts comes seldom, of many no more often than others of many", () => {
    const replies = [
      saying(4),
      ...Array.from({ length: 400 }, () => saying(16)),
      ...Array.from({ length: 25 }, () => saying(24)),
    ];
    const lessons = budgetExamples(letters, replies)(2000, randomFromSeed(3));
    const share = (length: number): number =>
      lessons.filter(({ completionTokens }) => completionTokens.length === length).length / lessons.length;
    expect([share(4), share(16), share(24)]).toBeAllclose([1 / 51, 25 / 51, 25 / 51], { absolute: 0.04 });
  });

  test("stories to go on with are of training's children and budgets", () => {
    const stories = budgetStories(300, randomFromSeed(4), "digits");
    expect(new Set(stories.map(({ prompt }) => Number(/in (\d+) words\.$/u.exec(prompt)?.[1])))).toEqual(
      new Set(trainedBudgets),
    );
    expect(stories.every((story) => story.prompt.includes(`named ${story.child.name}.`))).toBe(true);
  });
});
