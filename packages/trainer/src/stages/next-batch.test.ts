import { join } from "node:path";
import { LaconicError, randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { nodeFileSystem } from "#platform";
import { runFolder } from "../../test/run-folder.ts";
import { checkTraining } from "../spec/check-training.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import type { TrainingParts, GroupRequest, GroupSource } from "../spec/parts.ts";
import { readLines } from "../reading/rows.ts";
import { tinyRun } from "../testing/tiny-run.ts";
import { tinyParts, tinySettings } from "../testing/tiny-task.ts";

/** External episodes of the tiny task; the trainer has none of its problems. */
function playedElsewhere(change: Partial<GroupSource> = {}): TrainingParts & { readonly asked: number[] } {
  const { task, ...parts } = tinyParts();
  const asked: number[] = [];
  const source: GroupSource = {
    async take({ step, models }) {
      asked.push(step);
      const random = randomFromSeed(`step ${step}`);
      const groups = task.problems(random.split("problems"), 6).map(async (problem, g) => ({
        problem,
        episodes: await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            const own = { models, sampling: { temperature: 1 }, random: random.split(g).split(i) };
            const episode = await task.topology.run(problem, own);
            return { episode, reward: { task: task.grader(episode.answer, problem) } };
          }),
        ),
      }));
      return { groups: await Promise.all(groups), lag: 0 };
    },
    ...change,
  };
  const outline = { name: task.name, topology: task.topology, problems: () => [], testProblems: [] };
  return { ...parts, task: outline, source, asked };
}

const rowsOf = (directory: string, name = "metrics"): Promise<Record<string, unknown>[]> =>
  readLines(nodeFileSystem, join(directory, `${name}.jsonl`));

const accuracies = async (directory: string): Promise<number[]> =>
  (await rowsOf(directory)).map((row) => row["task/accuracy"] as number);

test("a run learns from external episodes without problems", async () => {
  const directory = await runFolder();
  const parts = playedElsewhere();
  const { steps, interrupted, after } = await tinyRun({ directory, parts });
  expect({ steps, interrupted, problems: after.problems }).toEqual({ steps: 30, interrupted: false, problems: 0 });
  const matches = await accuracies(directory);
  expect(matches).toHaveLength(30);
  expect(matches[0]).toBeLessThan(0.5);
  expect(matches.at(-1)).toBeGreaterThan(0.9);
  expect(await rowsOf(directory, "evaluations")).toEqual([]);
});

test("a source that ends is an interruption, and the run resumes to equal numbers", async () => {
  const [whole, cut] = [await runFolder(), await runFolder()];
  await tinyRun({ directory: whole, parts: playedElsewhere() });
  const parts = playedElsewhere();
  const { take } = parts.source as GroupSource;
  const ending = {
    ...parts,
    source: { take: async (request: GroupRequest) => (request.step === 13 ? null : take(request)) },
  } as const;
  const first = await tinyRun({ directory: cut, parts: ending satisfies TrainingParts });
  expect(first).toMatchObject({ steps: 13, interrupted: true });
  const again = playedElsewhere();
  await tinyRun({ directory: cut, parts: again, resume: true });
  expect(again.asked).toEqual(Array.from({ length: 17 }, (_, i) => 13 + i));
  expect(await accuracies(cut)).toEqual(await accuracies(whole));
});

test("replies of older weights are corrected where the run is asynchronous", async () => {
  const parts = playedElsewhere();
  const { take } = parts.source as GroupSource;
  const held: Awaited<ReturnType<GroupSource["take"]>>[] = [];
  const late: GroupSource = {
    async take(request) {
      held.push(await take(request));
      return request.step === 0 ? (held[0] ?? null) : { groups: held[request.step - 1]?.groups ?? [], lag: 1 };
    },
  };
  const directory = await runFolder();
  const settings = { steps: 3, asynchronous: { maxLag: 1, importanceCap: 2 } };
  await tinyRun({ directory, parts: { ...parts, source: late }, settings });
  const rows = await rowsOf(directory);
  expect(rows.map((row) => row["sampling/lag_steps"])).toEqual([0, 1, 1]);
  expect(rows.map((row) => "importance_weight/mean" in row)).toEqual([false, true, true]);
});

test("a step without an episode is refused", async () => {
  const parts = playedElsewhere({ take: async () => ({ groups: [], lag: 0 }) });
  await expect(tinyRun({ directory: await runFolder(), parts })).rejects.toThrow(
    "step 1: the episode source returned no episodes",
  );
});

test.each([
  ["credit", { credit: { kind: "difference" }, groupBy: "prompt+agent" }],
  ["problemPool", { problemPool: 4 }],
  ["limits", { limits: { maxTurns: 3 } }],
  ["earlyStopping", { earlyStopping: { patience: 1, minGain: 0 } }],
  ["advantage", { advantage: { estimator: "remax" } }],
] as const)("%s needs episodes or problems that are here", (key, change) => {
  const check = (): void => checkTraining(playedElsewhere(), parseTrainConfig({ ...tinySettings, ...change }));
  expect(check).toThrow(LaconicError);
  expect(check).toThrow(new RegExp(`^${key}: .*and episodes come from outside$`, "u"));
});

test("a group's age is that of its oldest reply, or of its step", async () => {
  const directory = await runFolder();
  const parts = playedElsewhere();
  const { take } = parts.source as GroupSource;
  const aged: GroupSource = {
    async take(request) {
      const taken = await take(request);
      return taken && { lag: 2, groups: taken.groups.map((group, i) => (i === 0 ? group : { ...group, lag: i % 2 })) };
    },
  };
  const settings = { steps: 2, asynchronous: { maxLag: 2 } };
  await tinyRun({ directory, settings, parts: { ...parts, source: aged } });
  const [row] = await rowsOf(directory);
  // Lags 2, 1, 0, 1, 0, 1.
  expect(row).toMatchObject({ "sampling/lag_steps": 5 / 6, "sampling/lag_steps_max": 2 });
});
