import { randomFromSeed, type TrainingSequence } from "@laconic/core";
import { expect, test } from "vitest";
import { letters } from "../../test/letters.ts";
import { holderTemplates } from "../stories/families.ts";
import { knownNames, unseenNames } from "../stories/lexicon.ts";
import { ownerExamples, namedStories, shortClauses } from "./owners.ts";

const retained = new RegExp(`\\b(?:${unseenNames.join("|")})\\b`, "u");
const read = (examples: readonly TrainingSequence[]) =>
  examples.map(({ promptTokens, completionTokens }) => ({
    prompt: letters.decode(promptTokens),
    said: letters.decode(completionTokens),
  }));

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
