import { randomFromSeed, type Problem } from "@laconic/core";
import { play } from "../../test/play.ts";
import { relayTokenizer as tokenizer } from "../relay/tokenizer.ts";
import { type TeamTask } from "../task.ts";
import type { ProbeCase } from "../probe.ts";
import { expect, test } from "vitest";
import { holderTemplates } from "./families.ts";
import { heldNames, knownNames } from "./lexicon.ts";
import { cueOf, tellers } from "./teller-problems.ts";
import { storyTellersTask } from "./teller-team.ts";

const testProblems = 90;
const opening = "One day,";
const task = storyTellersTask({ tokenizer, testProblems, opening });
const fresh = Object.values(heldNames.test).flat();

function pairsOf(of: Pick<TeamTask, "probes" | "testProblems">, family: string): (readonly [Problem, Problem])[] {
  const { problems = [] } = (of.probes?.(of.testProblems, randomFromSeed(3))[family] ?? {}) as Partial<ProbeCase>;
  return of.testProblems.flatMap((problem, i) => {
    const changed = problems[i];
    return changed ? [[problem, changed] as const] : [];
  });
}

const holderOf = ({ gold, views = {} }: Problem): string =>
  Object.keys(views).find((agent) => new RegExp(`\\b${gold}\\b`, "u").test(views[agent] ?? "")) ?? "";
const isEnded = ({ question, views = {} }: Problem): boolean =>
  Object.values(views).every((view) => view.endsWith(`. ${cueOf(question)} ${opening}`));
const changedAgents = ([before, after]: readonly [Problem, Problem]): string[] =>
  Object.keys(before.views ?? {}).filter((agent) => before.views?.[agent] !== after.views?.[agent]);

test("a paraphrase changes the holder's words alone, into a sentence that training never has", () => {
  const pairs = pairsOf(task, "paraphrase");
  expect(pairs).toHaveLength(testProblems);
  for (const [before, after] of pairs) {
    expect(changedAgents([before, after])).toEqual([holderOf(before)]);
    const told = Object.values(holderTemplates.probe).map((make) => make(before.gold, before.question));
    const view = after.views?.[holderOf(before)] ?? "";
    expect([isEnded(after), told.some((text) => view.startsWith(`${text} `))]).toEqual([true, true]);
  }
});

test("other idle texts change all agents but the holder, and never name the owner", () => {
  for (const [before, after] of pairsOf(task, "distractors")) {
    expect(after.views?.[holderOf(before)]).toBe(before.views?.[holderOf(before)]);
    const idle = Object.keys(before.views ?? {}).filter((agent) => agent !== holderOf(before));
    for (const agent of idle) expect(after.views?.[agent]).not.toMatch(new RegExp(`\\b${before.gold}\\b`, "u"));
    expect(isEnded(after)).toBe(true);
  }
});

test("all texts: the holder's sentence and every idle text are new", () => {
  const pairs = pairsOf(task, "all-texts");
  expect(pairs).toHaveLength(testProblems);
  for (const [before, after] of pairs) {
    expect(changedAgents([before, after])).toEqual(Object.keys(before.views ?? {}));
    expect([after.gold, holderOf(after), isEnded(after)]).toEqual([before.gold, holderOf(before), true]);
    const told = Object.values(holderTemplates.probe).map((make) => make(before.gold, before.question));
    expect(told.some((text) => after.views?.[holderOf(after)]?.startsWith(`${text} `))).toBe(true);
  }
});

test("another question: who was idle knows, who knew is idle, and all are asked for the other thing", () => {
  const pairs = pairsOf(task, "other-question");
  expect(pairs).toHaveLength(testProblems);
  for (const [before, after] of pairs) {
    expect(after.question).not.toBe(before.question);
    expect(after.gold).not.toBe(before.gold);
    expect(holderOf(after)).not.toBe(holderOf(before));
    expect(isEnded(after)).toBe(true);
    // The former holder still reads of its own child and thing, and is asked for the other one.
    const view = after.views?.[holderOf(before)] ?? "";
    expect([view.includes(before.gold), view.includes(cueOf(before.question))]).toEqual([true, false]);
    const told = Object.values(holderTemplates.train).map((make) => make(after.gold, after.question));
    expect(told.some((text) => after.views?.[holderOf(after)]?.startsWith(`${text} `))).toBe(true);
  }
});

test("other names: all are from the test, none remains, and the gold is the holder's", () => {
  for (const [before, after] of pairsOf(task, "names")) {
    expect(fresh).toContain(after.gold);
    expect(holderOf(after)).toBe(holderOf(before));
    const known = (
      Object.values(after.views ?? {})
        .join(" ")
        .match(/[A-Za-z]+/gu) ?? []
    ).filter((word) => knownNames.includes(word));
    expect(known).toEqual([]);
  }
});

test("four or five tellers, whom the team asks; problems of five have no counterpart", async () => {
  const pairs = pairsOf(task, "more-agents");
  const ofFive = task.testProblems.filter(({ views = {} }) => Object.keys(views).length === 5);
  expect(pairs.length).toBe(testProblems - ofFive.length);
  expect(new Set(pairs.map(([, { views = {} }]) => Object.keys(views).length))).toEqual(new Set([4, 5]));
  for (const [before, after] of pairs.slice(0, 20)) {
    expect(changedAgents([before, after])).toEqual([]);
    const present = Object.keys(after.views ?? {});
    expect([present, isEnded(after)]).toEqual([tellers.slice(0, present.length), true]);
    expect((await play(task.topology, after, () => "so")).asked).toHaveLength(present.length + 1);
  }
});

test("a liar reads of another owner; the gold stays", () => {
  for (const [before, after] of pairsOf(task, "lying-teammate")) {
    expect(after.gold).toBe(before.gold);
    expect(changedAgents([before, after])).toEqual([holderOf(before)]);
    expect(holderOf(after)).toBe("");
  }
});
