import { expect, test } from "vitest";
import { parseTrainConfig } from "./config-schema.ts";
import { silentRecorder } from "./run/recorder.ts";
import { tinyPairParts, tinyParts, tinySettings } from "./testing/index.ts";
import { train } from "./train.ts";
import { withVerdicts } from "./verdicts.ts";

const problem = { id: "1", question: "?", gold: "x" };
const task = tinyParts().task;

test("each answer is judged once, and graded as it was judged", async () => {
  const asked: (string | null)[] = [];
  const { judge, grader } = withVerdicts({
    ...task,
    judge: async (answer) => {
      asked.push(answer);
      return answer === "x" ? 1 : 0.25;
    },
  });
  await Promise.all(["x", "x", null, "y"].map(async (answer) => judge?.(answer, problem)));
  expect(asked).toEqual(["x", null, "y"]);
  expect([grader("x", problem), grader(null, problem), grader("y", problem)]).toEqual([1, 0.25, 0.25]);
  expect(() => grader("z", problem)).toThrow(/before it was judged/u);
  expect(withVerdicts(withVerdicts(task)).scoreOf).toBeTypeOf("function");
});

const settings = { ...tinySettings, steps: 2, problemsPerStep: 2, episodesPerProblem: 3, prices: {} };

test.each([
  ["whole episodes", {}, tinyParts],
  ["difference rewards", { credit: { kind: "difference" }, groupBy: "prompt+agent" }, () => tinyParts("star")],
  [
    "grades of utterances",
    { credit: { kind: "margin", alpha: 0.5 }, groupBy: "prompt+agent" },
    () => tinyParts("star"),
  ],
  [
    "trees",
    { tree: { mode: "cross", gamma: 0.9, stopAbove: null }, groupBy: "tree-node", objective: { name: "magrpo" } },
    () => tinyPairParts(2),
  ],
])("a judge gives the same run as a grader: %s", async (_, extra, partsOf) => {
  const rows: unknown[][] = [[], []];
  for (const [i, slow] of [false, true].entries()) {
    const parts = partsOf();
    const { grader } = parts.task;
    const judged = {
      ...parts.task,
      grader: () => Number.NaN,
      judge: async (...args: Parameters<typeof grader>) => grader(...args),
    };
    const recorder = silentRecorder((metrics) => rows[i]?.push(metrics));
    const config = parseTrainConfig({ ...settings, ...extra });
    await train(slow ? { ...parts, task: judged } : parts, config, recorder);
  }
  expect(rows[1]).toEqual(rows[0]);
});
