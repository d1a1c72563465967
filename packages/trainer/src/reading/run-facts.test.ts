import { gzipSync } from "node:zlib";
import { gzipMember } from "@laconic/core/run-folder";
import { isRunHeld, readRunFacts, type RunFacts, type RunSource } from "@laconic/trainer/reading";
import { describe, expect, test } from "vitest";

type Files = Readonly<Record<string, string | Uint8Array>>;

function sourceOf(files: Files): RunSource {
  const bytesOf = (name: string): Uint8Array | null => {
    const data = files[name] ?? null;
    return typeof data === "string" ? new TextEncoder().encode(data) : data;
  };
  return {
    stat: async (name) => {
      const bytes = bytesOf(name);
      return bytes && { size: bytes.length, mtimeMs: 1000 + bytes.length };
    },
    bytes: async (name, from, length) => bytesOf(name)?.subarray(from, from + length) ?? null,
  };
}

const processes = { host: "here", isAlive: (pid: number) => pid === 7 };

const lines = (...rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const evaluation = (step: number, accuracy: number): object => ({
  step,
  problems: 100,
  accuracy,
  interval: [0, 1],
  tokens: 9,
  silence: { a: 0 },
});

const whole: Files = {
  "config.json": JSON.stringify({ device: "auto", train: { steps: 2, seed: 3 } }),
  "environment.json": JSON.stringify({ engine: { device: "wasm" } }),
  "metrics.jsonl": lines({ step: 1, x: 1 }, { step: 2, x: 1 }),
  "timing.jsonl": lines({ step: 1, "timing_s/a": 1, "perf/b": 9 }, { step: 2, "timing_s/a": 2 }),
  "evaluations.jsonl": lines(evaluation(0, 0.5), { step: 1 }, evaluation(2, 0.75)),
  "warnings.jsonl": lines({ message: "w" }),
};

const read = (files: Files): Promise<RunFacts> => readRunFacts(sourceOf({ ...whole, ...files }), { processes });
const lock = (pid: unknown, host: string): Files => ({ LOCK: JSON.stringify({ pid, host }) });

const notJson = "config.json is not a JSON object, is larger than 8 MiB, or nests more than 100 levels deep";

describe("the result of a run is read", () => {
  const cases: readonly (readonly [what: string, files: Files, state: string, reason: string | null])[] = [
    ["all steps", {}, "done", null],
    ["fewer steps", { "metrics.jsonl": lines({ step: 1 }) }, "stopped", null],
    ["no step", { "metrics.jsonl": "" }, "stopped", null],
    ["a program's settings", { "config.json": `{"steps":2}` }, "done", null],
    ["a process that lives", lock(7, "here"), "running", null],
    ["a process of another machine", lock(8, "there"), "running", null],
    ["a process that is gone", lock(8, "here"), "done", null],
    ["a lock of nobody", lock("7", "here"), "done", null],
    ["a row that is being written", { ...lock(7, "here"), "metrics.jsonl": `{"step":1}\n{"st` }, "running", null],
    ...["metrics", "evaluations"].map(
      (name) =>
        [
          `${name} that are torn`,
          { [`${name}.jsonl`]: `${String(whole[`${name}.jsonl`] ?? "")}{"step":3` },
          "half-written",
          `${name}.jsonl ends in the middle of a row`,
        ] as const,
    ),
    [
      "a step that is lost",
      { "metrics.jsonl": lines({ step: 1 }, { step: 3 }) },
      "half-written",
      "metrics.jsonl: row 2 is of step 3: step 2 is lost",
    ],
    [
      "a step that stands twice, and not first in its row",
      { "metrics.jsonl": lines({ step: 1 }, { x: "é".repeat(40), step: 1 }) },
      "half-written",
      "metrics.jsonl: row 2 is of step 1, which is a duplicate",
    ],
    ["a configuration that is torn", { "config.json": `{"tr` }, "foreign", notJson],
    ["a configuration that is a list", { "config.json": "[1]" }, "foreign", notJson],
    ["a configuration of 9 MiB", { "config.json": " ".repeat(9 << 20) }, "foreign", notJson],
    [
      "a model's configuration",
      { "config.json": `{"model_type":"x"}` },
      "foreign",
      "config.json is not a run's: the number of steps is missing",
    ],
  ];

  test("episodes can end in the middle of a step or belong to a later version", async () => {
    const member = (version: number): Uint8Array =>
      gzipMember(gzipSync("{}\n"), { step: 1, kind: "step", version, isComplete: true });
    const facts = (episodes: Uint8Array): Promise<RunFacts> => read({ "episodes.jsonl.gz": episodes });
    expect((await facts(member(2))).state).toBe("done");
    expect(await facts(member(2).subarray(0, -1))).toMatchObject({
      state: "half-written",
      reason: "episodes.jsonl.gz ends in the middle of a step",
    });
    expect(await facts(member(3))).toMatchObject({
      state: "foreign",
      reason: "episodes.jsonl.gz has version 3, this program reads 2",
    });
  });

  test.each(cases)("%s", async (_, files, state, reason) => {
    const facts = await read(files);
    expect([facts.state, facts.reason]).toEqual([state, reason]);
  });

  test("a wrong file and an invalid row are named by file and line", async () => {
    const { "metrics.jsonl": _, ...others } = whole;
    const isFolder = async (name: string): Promise<boolean> => name === "metrics.jsonl";
    const instead = await readRunFacts({ ...sourceOf(others), isFolder }, { processes });
    expect([instead.state, instead.reason]).toEqual(["half-written", "metrics.jsonl is a folder, expected a file"]);
    const long = "x".repeat(5 << 20);
    const row = await read({ "metrics.jsonl": lines({ step: 1 }, { step: 2, long }) });
    expect([row.state, row.step]).toEqual(["done", 2]);
    const torn = await read({ "metrics.jsonl": `${lines({ step: 1 })}{"step":2,"long":"${long}\n` });
    expect([torn.state, torn.step, torn.reason]).toEqual([
      "half-written",
      1,
      "metrics.jsonl: line 2 is not a row of a step",
    ]);
    const runFacts = await read({ "evaluations.jsonl": `${lines(evaluation(0, 0.5))}[]\n` });
    expect(runFacts.warnings).toContain("evaluations.jsonl: line 2 is not a row");
    expect((await read({ "environment.json": "{" })).reason).toContain("environment.json is not a JSON object");
  });

  test("rejects a folder without any file", async () => {
    const facts = await readRunFacts(sourceOf({}), { processes });
    expect(facts).toMatchObject({
      state: "foreign",
      reason: "config.json not found: not a run, or one that has not begun",
      step: 0,
      plannedSteps: null,
      before: null,
      after: null,
      seconds: null,
      device: null,
      updated: 0,
    });
    expect(await isRunHeld(sourceOf(lock(7, "here")), processes)).toBe(true);
  });
});

test("reads seconds of steps, evaluations, device, seed, and the time of the last write", async () => {
  const facts = await read({ "report.html": "x".repeat(10_000) });
  expect(facts).toMatchObject({
    step: 2,
    plannedSteps: 2,
    seconds: 3,
    device: "wasm",
    seed: "3",
    warnings: ["w"],
    before: { step: 0, accuracy: 0.5, silence: { a: 0 } },
    after: { step: 2, accuracy: 0.75, tokens: 9 },
    updated: 1000 + (whole["evaluations.jsonl"]?.length ?? 0),
  });
  const early = await read({ "evaluations.jsonl": lines(evaluation(0, 0.5)), "environment.json": "{}" });
  expect([early.before?.step, early.after, early.device]).toEqual([0, null, "auto"]);
  const followed = await readRunFacts(sourceOf(whole), { processes, seconds: 9 });
  expect(followed.seconds).toBe(9);
});

test("warnings list damage, a decline, and reports; a decline that training reported appears once", async () => {
  const worse = { "evaluations.jsonl": `${lines(evaluation(0, 0.9), evaluation(2, 0.2))}{"` };
  const { warnings } = await read(worse);
  expect(warnings).toEqual([
    "evaluations.jsonl ends in the middle of a row",
    expect.stringContaining("the team solves clearly less than before training (90.0 % -> 20.0 %"),
    "w",
  ]);
  const again = await read({ ...worse, "warnings.jsonl": lines({ message: `at step 2 ${warnings[1]}` }) });
  expect(again.warnings).toEqual([warnings[0], `at step 2 ${warnings[1]}`]);
});

test("a tail of long rows gives the last step", async () => {
  const long = (step: number): object => ({ step, text: "x".repeat(50_000) });
  expect((await read({ "metrics.jsonl": lines(long(1), long(2), long(3)) })).step).toBe(3);
  expect((await read({ "metrics.jsonl": lines({ step: 1, text: "x".repeat(200_000) }) })).step).toBe(1);
});
