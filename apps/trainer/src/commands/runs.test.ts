import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { packNumbers, recordVersion } from "@laconic/core/run-folder";
import { nodeFileSystem } from "@laconic/trainer";
import { writeEpisodeMembers, type EpisodeMember } from "@laconic/trainer/testing";
import { folderData } from "@laconic/view";
import { expect, onTestFinished, test } from "vitest";
import { laconic } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

interface Written {
  readonly seed?: number;
  readonly steps?: number;
  readonly done?: number;
  readonly price?: number;
  readonly accuracy?: number;
  readonly interval?: readonly [number, number];
  readonly files?: Readonly<Record<string, string>>;
}

async function writeRun(folder: string, written: Written = {}): Promise<string> {
  const { seed = 0, steps = 2, done = steps, price = 0, accuracy = 0.9, interval = [0.8, 0.95], files = {} } = written;
  const lines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const stepRows = Array.from({ length: done }, (_, i) => ({ step: i + 1 }));
  await mkdir(folder, { recursive: true });
  const all = {
    "config.json": JSON.stringify({ device: "wasm", train: { seed, steps, prices: { tokens: price } } }),
    "environment.json": JSON.stringify({ engine: { device: "wasm" } }),
    "metrics.jsonl": lines(
      stepRows.map((row) => ({ ...row, "reward/mean": row.step / 4, "x/nan": null, nonfinite: ["x/nan"] })),
    ),
    "timing.jsonl": lines(stepRows.map((row) => ({ ...row, "timing_s/rollout": 30, "timing_s/update": 0.5 }))),
    "evaluations.jsonl": lines([
      { step: 0, problems: 100, accuracy: 0.5, interval: [0.4, 0.6], tokens: 60, silence: { a: 0 } },
      {
        step: done,
        problems: 100,
        accuracy,
        interval,
        tokens: 20,
        silence: { a: 0.25 },
        groups: { hard: { problems: 10, accuracy: 0.3, interval: [0.1, 0.6], tokens: 25 } },
      },
    ]),
    "warnings.jsonl": lines([{ message: "w" }]),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text);
  return folder;
}

test("ls lists state, steps, figures, seconds, device and warnings like the dashboard", async () => {
  const folder = await temporaryFolder();
  await writeRun(join(folder, "runs", "done"));
  await writeRun(join(folder, "runs", "stopped"), { done: 1 });
  await writeRun(join(folder, "sweep", "runs", "a-0"), {
    files: { LOCK: JSON.stringify({ pid: process.pid, host: hostname() }) },
  });
  await writeRun(join(folder, "torn"), { files: { "metrics.jsonl": `{"step":1}\n{"st` } });
  await writeRun(join(folder, "gap"), { files: { "metrics.jsonl": `{"step":1}\n{"step":3}\n` } });
  await writeRun(join(folder, "stale"), { files: { LOCK: JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }) } });
  await writeRun(join(folder, "\u001b[31mred\u202e"), { files: { "config.json": "[1]" } });
  await mkdir(join(folder, "model"));
  await writeFile(join(folder, "model", "config.json"), `{"model_type":"llama"}`);
  await symlink(folder, join(folder, "circle"));

  const { code, out } = await laconic("view", "ls", folder, "--json");
  const { runs } = JSON.parse(out) as { runs: Record<string, unknown>[] };
  const states = runs.map(({ folder: path, state }): [string, unknown] => [
    String(path).slice(folder.length + 1),
    state,
  ]);
  expect([code, Object.fromEntries(states)]).toEqual([
    0,
    {
      "runs/done": "done",
      "runs/stopped": "stopped",
      "sweep/runs/a-0": "running",
      torn: "half-written",
      gap: "half-written",
      stale: "done",
      "\u001b[31mred\u202e": "foreign",
    },
  ]);
  expect(runs.find(({ name }) => name === "done")).toMatchObject({
    step: 2,
    plannedSteps: 2,
    seconds: 61,
    device: "wasm",
    seed: "0",
    warnings: 1,
    reason: null,
    before: { accuracy: 0.5 },
    after: { step: 2, accuracy: 0.9, interval: [0.8, 0.95], tokens: 20 },
  });
  const data = await folderData({ folders: [folder] });
  onTestFinished(() => data.close());
  const dashboard = await data.runs();
  for (const { folder: path, ...run } of runs) {
    const location = String(path).slice(folder.length + 1);
    expect([location, dashboard.find((runSummary) => runSummary.folder === location)]).toMatchObject([location, run]);
  }
  const shown = await laconic("view", "ls", folder);
  expect(shown.out.split("\n")[0]).toMatch(/^RUN +STATE +STEPS +ACCURACY +TOKENS +TIME +DEVICE +WARNINGS$/);
  expect(shown.out).toMatch(/^runs\/done +done +2\/2 +50\.0 % -> 90\.0 % +60 -> 20 +1 m 01 s +wasm +1$/m);
  expect(shown.out + shown.err).not.toMatch(/[\u001b\u202e]/u);
  expect(shown.err).toContain(`foreign: ${folder}/⟨U+001B⟩[31mred⟨U+202E⟩: config.json is not a JSON object`);
  expect(shown.err).toContain(`half-written: ${folder}/gap: metrics.jsonl: row 2 is of step 3: step 2 is lost`);
  expect((await laconic("view", "ls", join(folder, "model"))).err).toContain("train one with: laconic quickstart");
  expect((await laconic("view", "ls", join(folder, "none"))).code).toBe(2);
});

test("compare shows different settings and figures of single runs on test problems", async () => {
  const folder = await temporaryFolder();
  const a = await writeRun(join(folder, "a"), { accuracy: 0.9, interval: [0.8, 0.95] });
  const b = await writeRun(join(folder, "b"), { accuracy: 0.8, interval: [0.7, 0.87], price: 0.1, seed: 1 });
  const { code, out } = await laconic("view", "compare", a, b, "--json");
  const { settings, differences, notes } = JSON.parse(out) as {
    settings: unknown;
    differences: [{ accuracy: { value: number; low: number; high: number; of: string }; tokens: unknown }];
    notes: string[];
  };
  expect(code).toBe(0);
  expect(settings).toEqual([{ key: "train.prices.tokens", values: ["0", "0.1"] }]);
  // Newcombe (1998), method 10: 0.1 below and 0.05 above meet 0.07 above and 0.1 below.
  const [{ accuracy, tokens }] = differences;
  expect([accuracy.value, accuracy.low, accuracy.high].map((value) => value.toFixed(6))).toEqual([
    "-0.100000",
    (-0.1 - Math.hypot(0.1, 0.05)).toFixed(6),
    (-0.1 + Math.hypot(0.07, 0.1)).toFixed(6),
  ]);
  expect([accuracy.of, tokens]).toEqual(["problems", { value: 0, low: null, high: null, of: null }]);
  expect(notes).toEqual([expect.stringContaining("n = 1: one run does not show the spread of seeds")]);
  const shown = (await laconic("view", "compare", a, b)).out;
  expect(shown).toMatch(/^train\.prices\.tokens +0 +0\.1$/m);
  expect(shown).toMatch(/^B - A .*−10\.0 points \[−21\.2 points, \+2\.2 points\], may be zero/m);
});

test("compare lists earlier settings of a run and warns of a damaged list", async () => {
  const folder = await temporaryFolder();
  const row = { step: 2, key: "train.prices", before: { tokens: 0.1 }, now: { tokens: 0 } };
  const steered = await writeRun(join(folder, "a"), { files: { "changes.jsonl": `${JSON.stringify(row)}\n` } });
  const other = await writeRun(join(folder, "b"), { price: 0.2, files: { "changes.jsonl": "{\n" } });
  const { out } = await laconic("view", "compare", steered, other, "--json");
  const { notes } = JSON.parse(out) as { notes: string[] };
  expect(notes).toContain("a changed settings: from step 2 on price of a token: 0.1 → 0");
  expect(notes.filter((note) => note.startsWith("b had"))).toEqual([]);
  const { runs } = JSON.parse((await laconic("view", "ls", folder, "--json")).out) as {
    runs: { name: string; warnings: number }[];
  };
  expect(Object.fromEntries(runs.map(({ name, warnings }) => [name, warnings]))).toEqual({ a: 1, b: 2 });
});

test("compare groups runs that differ only by seed, with Student's interval", async () => {
  const folder = await temporaryFolder();
  const run = (name: string, seed: number, price: number, accuracy: number): Promise<string> =>
    writeRun(join(folder, name), { seed, price, accuracy });
  const group = [await run("a0", 0, 0, 0.8), await run("a1", 1, 0, 0.9)];
  const other = [await run("b0", 0, 0.1, 0.6), await run("b1", 1, 0.1, 0.62), await run("b2", 2, 0.1, 0.64)];
  const { out } = await laconic("view", "compare", ...group, ...other, "--json");
  const { groups, differences, notes } = JSON.parse(out) as {
    groups: { runs: unknown[]; accuracy: { mean: number; interval: number[] } }[];
    differences: [{ accuracy: { value: number; low: number; high: number; of: string } }];
    notes: string[];
  };
  expect(groups.map(({ runs }) => runs.length)).toEqual([2, 3]);
  // Three values 0.02 apart: mean ± 4.303 * 0.02 / sqrt(3); two: beyond the ends of a share.
  expect(groups[1]?.accuracy.interval.map((value) => value.toFixed(4))).toEqual(["0.5703", "0.6697"]);
  expect(groups[0]?.accuracy.interval).toEqual([expect.closeTo(0.85 - (12.706 * Math.SQRT1_2 * 0.1) / Math.SQRT2), 1]);
  const [{ accuracy }] = differences;
  // Welch: variances 0.005 / 2 and 0.0004 / 3, 1.107935 degrees of freedom; the quantile is mpmath's.
  const half = 10.12393386069089 * Math.sqrt(0.005 / 2 + 0.0004 / 3);
  expect([accuracy.value, accuracy.low, accuracy.high]).toEqual(
    [-0.23, -0.23 - half, -0.23 + half].map((value) => expect.closeTo(value, 9) as number),
  );
  expect(notes[0]).toContain("n = 2: few seeds give wide intervals");
  expect((await laconic("view", "compare", ...group)).out).toContain("Settings: equal except for the seed.");
});

test("compare reports duplicate seeds, and intervals of tokens and time stay above 0", async () => {
  const folder = await temporaryFolder();
  const [a, again] = [await writeRun(join(folder, "a")), await writeRun(join(folder, "b"))];
  const read = async (...runs: string[]): Promise<Compared> =>
    JSON.parse((await laconic("view", "compare", ...runs, "--json")).out) as Compared;
  interface Compared {
    readonly groups: readonly { readonly seconds: { readonly interval: readonly number[] } }[];
    readonly notes: readonly string[];
  }
  expect((await read(a, again)).notes.join()).toContain("seed 0 occurs more than once");
  const slow = { "timing.jsonl": `${JSON.stringify({ step: 1, "timing_s/rollout": 600 })}\n` };
  const other = await writeRun(join(folder, "c"), { seed: 1, files: slow });
  const { groups, notes } = await read(a, other);
  expect(groups[0]?.seconds.interval[0]).toBe(0);
  expect(notes.join()).not.toContain("more than once");
});

test("compare rejects folders without a run and duplicate runs", async () => {
  const folder = await temporaryFolder();
  const run = await writeRun(join(folder, "a"));
  expect((await laconic("view", "compare", run, folder)).err).toContain(`${folder} has no run`);
  expect((await laconic("view", "compare", run, `${run}/`)).err).toContain("listed twice");
  expect((await laconic("view", "compare", run)).code).toBe(2);
});

const hostile = '=HYPERLINK("https://x","y")\u001b[2J\u202eevil';

function episode(step: number, text: string, kind: "step" | "evaluation"): EpisodeMember {
  const utterances = [
    { agent: "a", turn: 0, round: 0, text, silent: false, writtenTokens: 7, deliveredTo: ["b"] },
    { agent: "b", turn: 1, round: 0, text: "", silent: true, writtenTokens: 1, deliveredTo: [] },
  ];
  return {
    head: { step, kind, version: recordVersion, isComplete: true },
    content: {
      played: [{ problem: { id: "p", question: "1, 2\nor 3?", gold: "-5" }, episode: 0, task: 1 }],
      episodes: [{ problemId: "p", utterances: [0, 1], answer: "+1+cmd", ledger: { calls: [] } }],
      utterances,
      sampledLogProbs: packNumbers([]),
    },
  };
}

test("export writes tidy tables and reports formulas escaped by an apostrophe", async () => {
  const folder = await temporaryFolder();
  const run = await writeRun(join(folder, "run"));
  const members = [episode(0, hostile, "evaluation"), episode(2, "fine", "step")];
  await writeEpisodeMembers(nodeFileSystem, run, members);
  const { code, out, err } = await laconic("view", "export", run, "--csv");
  expect([code, out.split("\n")]).toEqual([
    0,
    ["metrics", "evaluations", "episodes", "turns"].map(
      (name, i) => `${join(run, "csv", `${name}.csv`)}: ${[2, 3, 2, 4][i]} rows`,
    ),
  ]);
  expect(err).toContain("3 texts that a spreadsheet would run as a formula begin with an apostrophe");
  const file = (name: string): Promise<string> => readFile(join(run, "csv", `${name}.csv`), "utf8");
  expect(await file("metrics")).toBe(
    "step,reward/mean,x/nan,timing_s/rollout,timing_s/update\n1,0.25,,30,0.5\n2,0.5,,30,0.5\n",
  );
  expect(await file("evaluations")).toBe(
    [
      "step,group,problems,accuracy,accuracy_low,accuracy_high,tokens,silence/a",
      "0,,100,0.5,0.4,0.6,60,0",
      "2,,100,0.9,0.8,0.95,20,0.25",
      "2,hard,10,0.3,0.1,0.6,25,",
      "",
    ].join("\n"),
  );
  expect(await file("episodes")).toContain('evaluation,0,0,p,"1, 2\nor 3?",-5,\'+1+cmd,1,,2,1,8\n');
  const turns = await file("turns");
  expect(turns).toContain(`evaluation,0,0,p,0,0,a,false,7,b,"'=HYPERLINK(""https://x"",""y"")⟨U+001B⟩[2J⟨U+202E⟩evil"`);
  expect(turns).toContain("training,0,2,p,0,0,a,false,7,b,fine\n");

  const printed = await laconic("view", "export", run, "--table", "metrics", "--out", "-");
  expect(`${printed.out}\n`).toBe(await file("metrics"));
  expect((await laconic("view", "export", run, "--out", "-")).err).toContain(
    "--table metrics|evaluations|episodes|turns",
  );
  expect((await laconic("view", "export", folder)).err).toContain("has no run");
});
