import { afterAll, beforeAll, expect, test } from "vitest";
import { task } from "../examples/code-pair.ts";
import { randomFromSeed } from "../packages/core/src/index.ts";
import { scriptedModel } from "../packages/core/src/testing/index.ts";
import { createSandbox, type Sandbox } from "../packages/sandbox/src/index.ts";
import { cooperationReward } from "../packages/tasks/src/text/index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});
afterAll(() => Promise.all([sandbox.close(), task.close?.()]));

const aux = "def aux(rows):\n    return [value for row in rows for value in row]";
const wrong = "def largest(rows):\n    values = aux(rows)\n    return min(values)";
const right = "def largest(rows):\n    values = aux(rows)\n    return max(values)";
const broken = "def largest(rows";

test.each([
  ["a wrong function that is mended", [wrong, right]],
  ["one that is right at once", [right]],
  ["one that is never mended", [wrong, wrong]],
  ["one that gets worse", [wrong, broken]],
])("%s earns what MAGRPO's reward says of the last texts, and reads its feedback", async (_, texts) => {
  const [problem] = task.testProblems;
  if (!problem) throw new Error("no problem");
  const { grading } = problem as typeof problem & { readonly grading: Parameters<typeof cooperationReward>[1] };
  const judged = await Promise.all(texts.map((main) => cooperationReward({ aux, main }, grading, sandbox)));

  const models = { helper: scriptedModel([aux]), main: scriptedModel(texts) };
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  const episode = await task.topology.run(problem, context);
  expect(episode.utterances.map(({ agent }) => agent)).toEqual(["helper", ...texts.map(() => "main")]);
  const read = episode.observations?.filter(({ text }) => text !== "").map(({ text }) => text) ?? [];
  expect(read).toHaveLength(texts.length - 1);
  for (const [i, text] of read.entries()) expect(text).toContain(judged[i]?.feedback);
  const grade = Math.max(0, judged.at(-1)?.reward ?? Number.NaN) / 4;
  const earned = await task.reward?.(episode, problem, { signal: new AbortController().signal });
  expect(earned).toMatchObject({ team: { environment: expect.closeTo(grade, 12) }, score: expect.closeTo(grade, 12) });
});
