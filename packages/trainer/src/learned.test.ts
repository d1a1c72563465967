import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Estimator, UnknownRecord } from "@laconic/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { stoppingAfter } from "../test/run-folder.ts";
import { evaluate, evaluationOptions, type Evaluation } from "./evaluate.ts";
import { criticsOf, withLearned } from "./learned.ts";
import { livePolicies } from "./spec/parts.ts";
import { runSpec, type RunSpecOptions } from "./spec/run-spec.ts";
import { loadWeights, findCheckpoint } from "./run/checkpoint.ts";
import { learnedOf } from "./run/loop-state.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { nodeFileSystem } from "#platform";
import { tinyDuelParts, tinyLearningParts, tinyParts, tinyRun, tinySettings } from "./testing/index.ts";

interface Case {
  readonly team: "solo" | "star" | "duel";
  readonly pool: "none" | "one side" | "both sides";
  readonly isAsynchronous: boolean;
  readonly seed: number;
  readonly stopAt: number;
}

function partsOf({ team, isAsynchronous }: Case): RunSpecOptions {
  const parts = team === "duel" ? tinyDuelParts("own") : tinyParts(team);
  const { problems } = parts.task;
  const named: typeof problems = (random, count) =>
    problems(random, count).map((problem, i) => ({ ...problem, id: `${problem.question}-${i}` }));
  return tinyLearningParts({ ...parts, task: { ...parts.task, problems: named } }, !isAsynchronous);
}

function settingsOf({ team, pool, isAsynchronous, seed }: Case): UnknownRecord {
  return {
    ...tinySettings,
    seed,
    steps: 4,
    problemsPerStep: 2,
    episodesPerProblem: 2,
    prices: {},
    budget: { targetTokens: 2, learningRate: 0.1 },
    groupBy: team === "duel" ? "prompt+agent" : "prompt",
    ...(isAsynchronous ? { asynchronous: {} } : { problemPool: 3 }),
    ...(pool !== "none" && {
      opponents: {
        sides: pool === "one side" ? [["right"]] : [["left"], ["right"]],
        latest: 0.5,
        every: 1,
        keep: 2,
        against: ["pool"],
      },
    }),
    evaluation: { every: 2, problems: 6, transcripts: 1 },
    checkpoint: { every: 1, keep: 2 },
  };
}

const filesOf = async (folder: string): Promise<string[]> =>
  Promise.all(["metrics.jsonl", "evaluations.jsonl"].map((name) => readFile(join(folder, name), "utf8")));

const cases: fc.Arbitrary<Case> = fc
  .record({
    team: fc.constantFrom("solo" as const, "star" as const, "duel" as const),
    pool: fc.constantFrom("none" as const, "one side" as const, "both sides" as const),
    isAsynchronous: fc.boolean(),
    seed: fc.integer({ min: 0, max: 99 }),
    stopAt: fc.integer({ min: 1, max: 3 }),
  })
  .map((item) => (item.team === "duel" ? { ...item, isAsynchronous: false } : { ...item, pool: "none" as const }));

test("a reopened run has all learned state, resumes, and evaluates unchanged", async () => {
  const run = async (input: Case): Promise<void> => {
    const parent = await temporaryFolder();
    const [whole, halves] = [join(parent, "whole"), join(parent, "halves")];
    const settings = settingsOf(input);
    await tinyRun({ directory: whole, settings, parts: partsOf(input) });

    const { state, manifest, folder } = await findCheckpoint(nodeFileSystem, join(whole, "checkpoints"));
    const fresh = partsOf(input);
    const { parts: opened } = runSpec({ ...fresh, settings: { ...parseTrainConfig(settings), ...fresh.settings } });
    await loadWeights(folder, manifest, {
      ...Object.fromEntries(Object.entries(opened.policies).map(([name, { model }]) => [name, model])),
      ...criticsOf(
        Object.keys(opened.policies).map((name) => ({ name, estimator: fresh.settings?.advantage as Estimator })),
      ),
    });
    const parts = withLearned(opened, learnedOf(state));
    const options = { ...evaluationOptions(parseTrainConfig(settings)), step: state.step };
    const { evaluation } = await evaluate(parts, livePolicies(parts), options);
    const rows = (await readFile(join(whole, "evaluations.jsonl"), "utf8")).trimEnd().split("\n");
    const { opponents: _, language: __, ...last } = JSON.parse(rows.at(-1) ?? "") as Evaluation;
    expect(evaluation).toEqual(last);

    if (input.isAsynchronous) return; // groups in flight are sampled again
    await tinyRun({ directory: halves, settings, parts: partsOf(input), ...stoppingAfter(input.stopAt) });
    await tinyRun({ directory: halves, settings, parts: partsOf(input), resume: true });
    expect(await filesOf(halves)).toEqual(await filesOf(whole));
  };
  await fc.assert(fc.asyncProperty(cases, run), {
    numRuns: 8,
    seed: 1,
    examples: [
      [{ team: "duel", pool: "one side", isAsynchronous: false, seed: 1, stopAt: 2 }],
      [{ team: "star", pool: "none", isAsynchronous: true, seed: 2, stopAt: 1 }],
    ],
  });
});
