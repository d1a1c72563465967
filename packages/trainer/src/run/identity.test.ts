import { appendFile, cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../../../../test/refusal.ts";
import { runFolder, stoppingAfter } from "../../test/run-folder.ts";
import type { Metrics } from "../step-metrics.ts";
import { tinyParts, tinyRun, type TinyRunOptions } from "../testing/index.ts";
import { changesOf, sha256Of } from "../reading/run-manifest.ts";

const settings = {
  steps: 6,
  problemsPerStep: 2,
  episodesPerProblem: 3,
  evaluation: { every: 2, problems: 3, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};

const inputs = { "model: model.safetensors": "aa", "data: training": "bb" };

function runIn(directory: string, options: Partial<TinyRunOptions> = {}): ReturnType<typeof tinyRun> {
  return tinyRun({ directory, settings, inputs, ...options });
}

const text = (directory: string, name: string): Promise<string> => readFile(join(directory, name), "utf8");

async function edit(path: string, change: (old: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}

test("the manifest holds the hash of the configuration and of every input; checkpoints name their run", async () => {
  const directory = await runFolder();
  await runIn(directory);
  const manifest = JSON.parse(await text(directory, "manifest.json")) as Record<string, unknown>;
  const config: unknown = JSON.parse(await text(directory, "config.json"));
  expect(manifest).toMatchObject({ config: { sha256: sha256Of(config) }, inputs });
  const checkpoint = JSON.parse(await text(directory, "checkpoints/step-00000006/manifest.json")) as object;
  const traces = { "metrics.jsonl": { bytes: (await text(directory, "metrics.jsonl")).length } };
  expect(checkpoint).toMatchObject({ run: manifest["run"], traces });
});

test("a configuration that was edited between two sessions is refused by key, with both values", async () => {
  const directory = await runFolder();
  await runIn(directory);
  await edit(join(directory, "config.json"), (old) => old.replace('"seed": 7', '"seed": 8'));
  const error = await refusal(runIn(directory, { resume: true, settings: { ...settings, seed: 8 } }));
  expect([error.code, error.detail]).toEqual(["checkpoint_mismatch", { key: "seed", before: "7", now: "8" }]);
  expect(error.message).toContain("config.json: the setting seed was 7 when the run started and is 8");
  // An edited manifest is detected too.
  await edit(join(directory, "manifest.json"), (old) => old.replace('"seed": 7', '"seed": 8'));
  expect((await refusal(runIn(directory, { resume: true, settings: { ...settings, seed: 8 } }))).message).toContain(
    "manifest.json",
  );
});

test.each([
  [
    { ...inputs, "model: model.safetensors": "ac" },
    { key: "model: model.safetensors", before: '"aa"', now: '"ac"' },
  ],
  [{ "data: training": "bb" }, { key: "model: model.safetensors", before: '"aa"', now: "nothing" }],
  [
    { ...inputs, "actor: model.safetensors": "d" },
    { key: "actor: model.safetensors", before: "nothing", now: '"d"' },
  ],
])("other inputs are refused by name: %j", async (input, detail) => {
  const directory = await runFolder();
  await runIn(directory);
  const error = await refusal(runIn(directory, { resume: true, inputs: input }));
  expect([error.code, error.detail]).toEqual(["checkpoint_mismatch", detail]);
});

test("a checkpoint of another run is refused", async () => {
  const [one, other] = [await runFolder(), await runFolder()];
  await runIn(one);
  await runIn(other, { settings: { ...settings, seed: 9 } });
  await rm(join(one, "checkpoints"), { recursive: true });
  await cp(join(other, "checkpoints"), join(one, "checkpoints"), { recursive: true });
  expect((await refusal(runIn(one, { resume: true }))).message).toContain("belongs to a run with other settings");
});

test("ignores the order of keys", () => {
  expect(changesOf({ a: 1, b: { c: 2, d: [1] } }, { b: { d: [1], c: 2 }, a: 1 })).toEqual([]);
  expect(sha256Of({ a: 1, b: { c: 2 } })).toBe(sha256Of({ b: { c: 2 }, a: 1 }));
  expect(changesOf({ a: [1, 2] }, { a: [1] })).toEqual([{ key: "a.1", before: "2", now: "nothing" }]);
});

test("cuts rows after the checkpoint, and recomputes lost rows from the previous checkpoint", async () => {
  const directory = await runFolder();
  await runIn(directory);
  const expected = await text(directory, "metrics.jsonl");
  const lines = expected.trimEnd().split("\n");
  const resumed = async (): Promise<{ warnings: string[]; steps: number[] }> => {
    const [warnings, steps]: [string[], number[]] = [[], []];
    const observer = {
      warning: (message: string) => void (message.startsWith("gspo") || warnings.push(message)),
      step: (metrics: Metrics) => void steps.push(metrics["step"] as number),
    };
    await runIn(directory, { resume: true, observer });
    return { warnings, steps };
  };
  await appendFile(join(directory, "metrics.jsonl"), `${lines[3]}\n`);
  expect(await resumed()).toEqual({ warnings: [], steps: [] });
  expect(await text(directory, "metrics.jsonl")).toBe(expected);
  await writeFile(join(directory, "metrics.jsonl"), `${lines.filter((_, i) => i !== 4).join("\n")}\n`);
  const { warnings, steps } = await resumed();
  expect(steps).toEqual([5, 6]);
  expect(warnings.join()).toContain("metrics.jsonl: row 5 is of step 6: step 5 is lost; trying the one before");
  expect(await text(directory, "metrics.jsonl")).toBe(expected);
});

test.each([
  ["metrics.jsonl", (old: string) => old.split("\n").slice(1).join("\n"), "row 1 is of step 2: step 1 is lost"],
  [
    "metrics.jsonl",
    (old: string) => old.replace('"task/accuracy":', '"task/accuracy":1'),
    "differ from those of that step's checkpoint",
  ],
  ["evaluations.jsonl", (old: string) => old.split("\n").slice(1).join("\n"), "its rows up to step"],
] as const)(
  "rows of %s that no checkpoint is old enough for are refused with their place",
  async (name, damage, location) => {
    const directory = await runFolder();
    await runIn(directory);
    await edit(join(directory, name), damage);
    const error = await refusal(runIn(directory, { resume: true }));
    expect(error.code).toBe("checkpoint_corrupt");
    expect(error.message).toContain(`${name}: `);
    expect(error.message).toContain(location);
  },
);

const adjustable = { steps: ": a note" };

test("an extended run has the rows of an equally long run", async () => {
  const [short, long] = [await runFolder(), await runFolder()];
  await runIn(short);
  await runIn(long, { settings: { ...settings, steps: 10 } });
  const more = { resume: true, adjustable, settings: { ...settings, steps: 10 } };
  const warnings: string[] = [];
  const done = await runIn(short, { ...more, observer: { warning: (message) => void warnings.push(message) } });
  expect(done).toMatchObject({ steps: 10, interrupted: false });
  const rows = async (directory: string): Promise<string> =>
    (await text(directory, "metrics.jsonl")).replaceAll(/"progress\/done_frac":[\d.e-]+,/gu, ""); // of the steps that were known of
  expect(await rows(short)).toBe(await rows(long));
  for (const name of ["evaluations.jsonl", "episodes.jsonl.gz", "config.json"])
    expect(await text(short, name)).toBe(await text(long, name));
  expect(warnings.filter((message) => !message.startsWith("gspo"))).toEqual([
    "from step 7 on steps is 10 instead of 6: a note",
  ]);
  // An extended run equals a run of ten steps.
  expect(await runIn(short, { resume: true, settings: { ...settings, steps: 10 } })).toEqual(done);
});

test("a decaying rate follows the schedule of the new length after the extension", async () => {
  const decay = { peak: 0.3, warmUpSteps: 0, decay: "linear", finalFraction: 0 };
  const of = (steps: number): object => ({ ...settings, steps, optimizer: { learningRate: decay } });
  const directory = await runFolder();
  await runIn(directory, { settings: { ...of(4) } });
  await runIn(directory, { settings: { ...of(8) }, resume: true, adjustable });
  const rates = (await text(directory, "metrics.jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as Record<string, number>)["optim/lr"]);
  // Each step has two optimizer steps, and its row has the last rate: 0.3 (1 - n / 8), then 0.3 (1 - n / 16).
  const expected = [1, 3, 5, 7].map((n) => 0.3 * (1 - n / 8)).concat([9, 11, 13, 15].map((n) => 0.3 * (1 - n / 16)));
  rates.forEach((rate, i) => expect(rate).toBeCloseTo(expected[i] as number, 12));
});

test("rejects fewer steps than done, and all other changes of settings", async () => {
  const directory = await runFolder();
  await runIn(directory);
  const config = await text(directory, "config.json");
  const fewer = runIn(directory, { resume: true, adjustable, settings: { ...settings, steps: 4 } });
  expect(await refusal(fewer)).toFailWith("config_invalid", { key: "steps" });
  const other = { ...settings, steps: 8, minibatches: 1 };
  expect(await refusal(runIn(directory, { resume: true, adjustable, settings: other }))).toMatchObject({
    detail: { key: "minibatches", before: "2", now: "1" },
  });
  expect(await text(directory, "config.json")).toBe(config);
});

test("a run that ended before its first step gives its directory to a corrected one", async () => {
  const directory = await runFolder();
  const broken = { ...tinyParts(), policies: {} };
  await refusal(runIn(directory, { parts: broken }));
  await runIn(directory, { settings: { ...settings, seed: 8 } });
  const straight = await runFolder();
  await runIn(straight, { settings: { ...settings, seed: 8 } });
  expect(await text(directory, "evaluations.jsonl")).toBe(await text(straight, "evaluations.jsonl"));
  expect((await refusal(runIn(directory))).code).toBe("run_exists");
});

test("starts a new run, a run without a checkpoint, and a run to resume", async () => {
  const straight = await runFolder();
  await runIn(straight);
  const directory = await runFolder();
  const die = {
    step: (metrics: Metrics) => {
      if (metrics["step"] === 1) throw new Error("killed");
    },
  };
  await expect(runIn(directory, { resume: "where-possible", observer: die })).rejects.toThrow("killed");
  // A resume begins the run that never saved again, and no other run.
  expect((await refusal(runIn(directory, { resume: true, settings: { ...settings, seed: 8 } }))).detail["key"]).toBe(
    "seed",
  );
  await expect(runIn(directory, { resume: true, observer: die })).rejects.toThrow("killed");
  await runIn(directory, { resume: "where-possible", ...stoppingAfter(3) });
  expect(await runIn(directory, { resume: "where-possible" })).toMatchObject({ steps: 6 });
  expect(await text(directory, "metrics.jsonl")).toBe(await text(straight, "metrics.jsonl"));
});

test("a policy's metadata is in its weights' folder", async () => {
  const directory = await runFolder();
  await runIn(directory, { policy: { task: "tiny" } });
  expect(JSON.parse(await text(directory, "checkpoints/step-00000006/laconic.json"))).toEqual({ task: "tiny" });
});
