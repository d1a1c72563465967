import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tinyRun } from "../testing/tiny-run.ts";
import { describeChange, parseChangedSettings, settingsAt, type ChangedSetting } from "./changed-settings.ts";
import { runFolder } from "../../test/run-folder.ts";

const budget = { targetTokens: 4, learningRate: 0.05 };
const adjustable = { steps: "", budget: "", prices: "" };
const base = {
  steps: 2,
  problemsPerStep: 2,
  episodesPerProblem: 2,
  minibatches: 1,
  prices: {},
  evaluation: { every: 0, problems: 2, transcripts: 1 },
  checkpoint: { every: 2, keep: 3 },
};

const rows = async (run: string): Promise<ChangedSetting[]> =>
  parseChangedSettings(await readFile(join(run, "changes.jsonl"), "utf8"), "changes.jsonl");
const configOf = async (run: string): Promise<typeof base & { readonly budget: typeof budget }> =>
  JSON.parse(await readFile(join(run, "config.json"), "utf8"));

describe("a run's settings change while it runs", () => {
  test("each change has its first step and the former value", async () => {
    const directory = await runFolder();
    const run = { directory, adjustable, resume: "where-possible" as const };
    await tinyRun({ ...run, settings: { ...base, budget } });
    expect(await readdir(directory)).not.toContain("changes.jsonl");
    await tinyRun({ ...run, settings: { ...base, steps: 4, budget: null, prices: { tokens: 0.1 } } });
    await tinyRun({ ...run, settings: { ...base, steps: 6, budget: { ...budget, targetTokens: 6 } } });
    const changes = await rows(directory);
    expect(changes.map(({ step, key }) => [step, key])).toEqual([
      ...["steps", "budget", "prices"].map((key) => [3, key]),
      ...["steps", "budget", "prices"].map((key) => [5, key]),
    ]);
    const last = await configOf(directory);
    const held = [2, 4, 6].map((step) => settingsAt(last, changes, step));
    expect(held.map((item) => [item["steps"], item["prices"]])).toEqual([
      [2, {}],
      [4, { tokens: 0.1 }],
      [6, {}],
    ]);
    expect(held.map((item) => (item["budget"] as typeof budget | null)?.targetTokens)).toEqual([4, undefined, 6]);
    // The checkpoint has digests of these rows, like those of the metrics.
    const manifest = await readFile(join(directory, "checkpoints/step-00000006/manifest.json"), "utf8");
    expect(manifest).toContain('"changes.jsonl"');
  });

  test("a change after the resumed checkpoint did not happen", async () => {
    const directory = await runFolder();
    const run = { directory, adjustable, resume: "where-possible" as const };
    await tinyRun({ ...run, settings: { ...base, budget } });
    const later = { ...base, steps: 4, budget: { ...budget, targetTokens: 9 } };
    await tinyRun({ ...run, settings: later });
    await rm(join(directory, "checkpoints/step-00000004"), { recursive: true }); // as if killed before it
    await tinyRun({ ...run, settings: { ...later, budget } });
    const changes = await rows(directory);
    expect(changes.map(({ step, key, now }) => [step, key, now])).toMatchObject([
      [3, "steps", 4],
      [3, "budget", { targetTokens: 4 }],
    ]);
    const last = await configOf(directory);
    expect(settingsAt(last, changes, 2)["steps"]).toBe(2);
    expect(last.budget.targetTokens).toBe(4);
  });

  test.each([
    ["not JSON", "{", /line 1: it is not a JSON object/u],
    ["a list", "[]", /line 1: it is not a JSON object/u],
    ["a step of the past", '{"step":3,"key":"a"}\n{"step":2,"key":"a"}', /line 2: step 2 follows step 3/u],
    ["half a step", '{"step":1.5,"key":"a"}', /line 1: its step/u],
    ["a key of every object", '{"step":1,"key":"train.__proto__.x"}', /line 1: its key/u],
    ["a key with a control character", '{"step":1,"key":"a\\u202eb"}', /line 1: its key/u],
    ["more than a change has", '{"step":1,"key":"a","shell":"rm"}', /line 1: it has "shell"/u],
    ["a line of a megabyte", `{"step":1,"key":"a","now":"${"x".repeat(1 << 20)}"}`, /line 1: it has \d+ characters/u],
  ])("%s is refused with file and line, and resumes nothing", async (_, text, message) => {
    const directory = await runFolder();
    const run = { directory, adjustable, resume: "where-possible" as const };
    await tinyRun({ ...run, settings: base });
    await writeFile(join(directory, "changes.jsonl"), `${text}\n`);
    const again = tinyRun({ ...run, settings: { ...base, steps: 4 } });
    await expect(again).rejects.toFailWith("checkpoint_corrupt", message);
    await expect(again).rejects.toThrow(join(directory, "changes.jsonl"));
  });

  test("half a last line does not count", () => {
    expect(parseChangedSettings('{"step":1,"key":"steps","now":4}\n{"step":2,"ke', "changes.jsonl")).toEqual([
      { step: 1, key: "steps", now: 4 },
    ]);
  });
});

test.each([
  [{ key: "train.budget", before: budget, now: null }, "budget: 4 tokens → none"],
  [{ key: "train.prices", before: {}, now: { tokens: 0.004 } }, "price of a token: none → 0.004"],
  [{ key: "train.prices", before: { turns: 1 }, now: { turns: 2 } }, "price of turns: 1 → 2"],
  [{ key: "steps", before: 4, now: 6 }, "steps: 4 → 6"],
  [{ key: "sinks", before: [], now: ["x".repeat(99)] }, `sinks.0: none → "${"x".repeat(59)}…`],
])("reports a change of the configuration: %j", (change, reply) => {
  expect(describeChange(change)).toBe(reply);
});
