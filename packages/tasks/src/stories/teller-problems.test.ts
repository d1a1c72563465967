import { randomFromSeed, type Problem } from "@laconic/core";
import { play } from "../../test/play.ts";
import { relayTokenizer as tokenizer } from "../relay/tokenizer.ts";
import { describe, expect, test } from "vitest";
import { holderTemplates, idleFamilies, type FamilySplit } from "./families.ts";
import { heldNames, heldThings, nameLengths, unseenNames, type HeldSplit } from "./lexicon.ts";
import { cueOf } from "./teller-problems.ts";
import { storyTellersTask } from "./teller-team.ts";

const testProblems = 400;
const task = storyTellersTask({ tokenizer, testProblems, madeUp: 0.5 });
const learned = task.problems(randomFromSeed(1), 3000);
const ofSplit: Readonly<Record<HeldSplit, readonly Problem[]>> = {
  validation: task.validation ?? [],
  test: task.testProblems,
};
const textOf = ({ views = {} }: Problem): string => Object.values(views).join(" ");
const cast = { name: "NAME", friend: "FRIEND", asked: "ASKED", other: "OTHER" };

/** What is said around names and things, of every text that a family may draw. */
function wordsOf(split: FamilySplit, family: string): Set<string> {
  const draw = idleFamilies[split][family] as (typeof idleFamilies)["train"][string];
  const texts = Array.from({ length: 60 }, (_, i) => draw(cast, randomFromSeed(i)));
  return new Set(texts.map((text) => text.replaceAll(/NAME|FRIEND|ASKED|OTHER/gu, "_")));
}

describe.each(["validation", "test"] as const)("%s problems", (split) => {
  const problems = ofSplit[split];
  const groups = new Map<string, Problem[]>();
  for (const problem of problems)
    groups.set(problem.group ?? "", [...(groups.get(problem.group ?? "") ?? []), problem]);

  test("every group says one thing that is new, and has as many problems", () => {
    expect([...groups.keys()].toSorted()).toEqual(
      [
        ...Object.keys(idleFamilies.train).map((family) => `known/${family}`),
        ...Object.keys(idleFamilies[split]).map((family) => `idle/${family}`),
        ...Object.keys(holderTemplates[split]).map((family) => `template/${family}`),
        ...nameLengths.map((length) => `name/${length}`),
        "rival/thing",
        "thing/unseen",
        "tellers/5",
        "all/unseen",
      ].toSorted(),
    );
    const counts = [...groups.values()].map(({ length }) => length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(problems).toHaveLength(testProblems);
  });

  test("names, things and numbers belong to the group", () => {
    for (const length of nameLengths)
      expect(groups.get(`name/${length}`)?.every(({ gold }) => heldNames[split][length].includes(gold))).toBe(true);
    expect(groups.get("thing/unseen")?.every(({ question }) => heldThings[split].includes(question))).toBe(true);
    expect(groups.get("tellers/5")?.every(({ views = {} }) => Object.keys(views).length === 5)).toBe(true);
    const known = [...groups].filter(([group]) => /^(?:known|idle|template|rival|thing)/u.test(group));
    const names = new RegExp(`\\b(?:${unseenNames.join("|")})\\b`, "u");
    expect(known.flatMap(([, own]) => own).filter((problem) => names.test(textOf(problem)))).toEqual([]);
  });
});

test("nothing that is held back is trained on, and the two test splits share nothing that is new", () => {
  const names = new RegExp(`\\b(?:${unseenNames.join("|")})\\b`, "u");
  expect(learned.filter((problem) => names.test(textOf(problem)))).toEqual([]);
  const ids = new Set(learned.map(({ id }) => id));
  expect([...ofSplit.test, ...ofSplit.validation].filter(({ id }) => ids.has(id))).toEqual([]);
  expect(new Set(learned.map(({ views = {} }) => Object.keys(views).length))).toEqual(new Set([2, 3, 4]));
  const splits: readonly FamilySplit[] = ["train", "validation", "test", "probe"];
  const templates = splits.flatMap((split) => Object.values(holderTemplates[split]).map((text) => text("_", "_")));
  expect(new Set(templates).size).toBe(templates.length);
  expect(Object.keys(holderTemplates.train).length).toBeGreaterThanOrEqual(6);
  const idle = splits.map((split) => new Set(Object.keys(idleFamilies[split]).flatMap((f) => [...wordsOf(split, f)])));
  for (const [i, one] of idle.entries())
    for (const other of idle.slice(i + 1)) expect([...one].filter((text) => other.has(text))).toEqual([]);
  const heldWords = (split: HeldSplit): string[] => [...Object.values(heldNames[split]).flat(), ...heldThings[split]];
  expect(heldWords("validation").filter((word) => heldWords("test").includes(word))).toEqual([]);
});

test("one teller's text has the name, every text ends with what is asked, and nothing else tells who knows", () => {
  for (const { gold, question, views = {} } of learned.slice(0, 400)) {
    const texts = Object.values(views);
    expect(texts.filter((text) => new RegExp(`\\b${gold}\\b`, "u").test(text))).toHaveLength(1);
    expect(texts.every((text) => text.endsWith(cueOf(question)))).toBe(true);
  }
  const holders = learned.map(({ gold, views = {} }) =>
    Object.keys(views).find((id) => new RegExp(`\\b${gold}\\b`, "u").test(views[id] ?? "")),
  );
  const first = holders.filter((id) => id === "one").length / holders.length;
  expect(first).toBeGreaterThan(0.32);
  expect(first).toBeLessThan(0.4);
});

test("tellers that a problem does not have say nothing, and are not asked", async () => {
  const problem = ofSplit.test.find(({ views = {} }) => Object.keys(views).length === 2) as Problem;
  const { asked } = await play(task.topology, problem, () => " Tom");
  expect(asked.map(({ agent }) => agent)).toEqual(["one", "two", "solver"]);
});
