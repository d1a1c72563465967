import { randomFromSeed, type Problem } from "@laconic/core";
import { describe, expect, test } from "vitest";
import type { ProbeCase, TaskProbes } from "../probe.ts";
import { isKeptHint, relayHintTask } from "./actor-tasks.ts";
import { relayFeedbackTask, relayWritersTask } from "./pair-task.ts";
import { askedKeys, parseFacts, relayLevels, relaySplit, type RelayLevelName } from "./problem.ts";
import { hintProbes, keysIn, pairProbes, relayProbes } from "./probes.ts";
import { relayGrader, relayTask } from "./task.ts";
import { relayTeacher } from "./teacher.ts";

const testProblems = 60;
const seed = randomFromSeed("probes");
const factsOf = ({ views = {} }: Problem) => Object.values(views).flatMap((view) => parseFacts(view));
const sumOf = (problem: Problem): string => {
  const asked = askedKeys(problem.question);
  return String(factsOf(problem).reduce((sum, { key, value }) => sum + (asked.includes(key) ? value : 0), 0));
};

function caseOf(
  task: { readonly probes: TaskProbes; readonly testProblems: readonly Problem[] },
  family: string,
): ProbeCase & { readonly pairs: readonly (readonly [Problem, Problem])[] } {
  const match = task.probes(task.testProblems, seed)[family];
  if (!match || "none" in match) throw new Error(`no ${family}`);
  expect(match.problems).toHaveLength(task.testProblems.length);
  const pairs = task.testProblems.flatMap((problem, i) => {
    const changed = match.problems[i];
    return changed ? [[problem, changed] as const] : [];
  });
  return { ...match, pairs };
}

describe.each(Object.keys(relayLevels) as RelayLevelName[])("the relay, %s", (level) => {
  const task = { ...relayTask({ level, testProblems }), probes: relayProbes(relayLevels[level]) };

  test("other keys: no letter stays, the values do, and nothing is learned on", () => {
    const { pairs } = caseOf(task, "names");
    expect(pairs).toHaveLength(testProblems);
    for (const [problem, changed] of pairs) {
      expect(keysIn(changed).filter((key) => keysIn(problem).includes(key))).toEqual([]);
      expect([changed.gold, sumOf(changed), relaySplit(changed)]).toEqual([problem.gold, problem.gold, "evaluation"]);
    }
  });

  test("other distractors: facts that are asked for stay, all others are new", () => {
    for (const [problem, changed] of caseOf(task, "distractors").pairs) {
      const asked = askedKeys(problem.question);
      const retained = factsOf(changed).filter((fact) => keysIn(problem).includes(fact.key));
      expect(retained.map(({ key }) => key).toSorted()).toEqual(asked.toSorted());
      expect([changed.question, sumOf(changed), relaySplit(changed)]).toEqual([
        problem.question,
        problem.gold,
        "evaluation",
      ]);
    }
  });

  test("a liar: one value of an asked key is another, and the right answer stays", () => {
    const { pairs } = caseOf(task, "lying-teammate");
    expect(pairs).toHaveLength(testProblems);
    for (const [problem, changed] of pairs) {
      const views = Object.keys(problem.views ?? {}).filter(
        (agent) => problem.views?.[agent] !== changed.views?.[agent],
      );
      expect([views.length, changed.gold]).toEqual([1, problem.gold]);
      expect(sumOf(changed)).not.toBe(problem.gold);
    }
  });
});

test("one more holder speaks with another's model, and a teacher's team stays right", async () => {
  const task = { ...relayTask({ level: "one-fact", testProblems }), probes: relayProbes(relayLevels["one-fact"]) };
  const { pairs, topology, joins } = caseOf(task, "more-agents");
  expect(joins).toEqual({ "holder-d": "holder-a" });
  expect(topology?.agents).toEqual(["holder-a", "holder-b", "holder-c", "holder-d", "solver"]);
  const models = Object.fromEntries((topology?.agents ?? []).map((agent) => [agent, relayTeacher()]));
  for (const [problem, changed] of pairs.slice(0, 10)) {
    expect(askedKeys(problem.question)).not.toContain(changed.views?.["holder-d"]?.charAt(0));
    const episode = await topology?.run(changed, { models, sampling: { temperature: 1 }, random: seed });
    expect(episode?.utterances).toHaveLength(5);
    expect(relayGrader(episode?.answer ?? null, changed)).toBe(1);
  }
  const four = relayProbes(relayLevels["four-holders"])(task.testProblems, seed);
  expect(four["more-agents"]).toEqual({ none: "the relay has no fifth holder" });
});

test("a hint: the collaborator's facts are more or others, kept for validation and test, and what is asked stays true", () => {
  for (const distractors of [0, 2]) {
    const task = { ...relayHintTask({ testProblems, distractors }), probes: hintProbes };
    const { pairs } = caseOf(task, "distractors");
    expect(pairs).toHaveLength(testProblems);
    for (const [problem, changed] of pairs) {
      const [before, after] = [problem, changed].map(({ views }) => parseFacts(views?.["collaborator"] ?? ""));
      expect(after).toHaveLength(distractors === 0 ? 2 : 3);
      const asked = askedKeys(problem.question)[1];
      expect(after?.find(({ key }) => key === asked)).toEqual(before?.find(({ key }) => key === asked));
      expect(isKeptHint(changed)).toBe(true);
      expect(changed.id).toContain(`|${changed.views?.["collaborator"]}?${problem.question}`);
    }
  }
});

test("pairs: keys near the fact differ; if all are asked for, the family is missing", () => {
  for (const [problem, changed] of caseOf(
    { ...relayWritersTask({ testProblems }), probes: pairProbes("relay-writers") },
    "distractors",
  ).pairs) {
    expect(changed.gold).toBe(problem.gold);
    expect(changed.question).not.toBe(problem.question);
    expect(changed.question.startsWith(problem.question.slice(0, -1))).toBe(true);
  }
  const feedback = { ...relayFeedbackTask({ testProblems }), probes: pairProbes("relay-feedback") };
  expect(feedback.probes(feedback.testProblems, seed)["distractors"]).toEqual({ none: "every key is asked for" });
  for (const [problem, changed] of caseOf(feedback, "names").pairs) {
    expect(changed.gold.replaceAll(/[a-z]/gu, "_")).toBe(problem.gold.replaceAll(/[a-z]/gu, "_"));
    expect(changed.id).toBe(`relay-feedback:${changed.gold}`);
    expect(changed.question).toBe(keysIn({ ...changed, question: "" }).join("+"));
  }
});
