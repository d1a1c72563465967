import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { copyOfRun } from "../../test/edited-run.ts";
import { cli, laconic } from "../../test/laconic.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const contents: Readonly<Record<string, string>> = {
  null: "null",
  "a list": "[]",
  "a number": "3",
  "a text": '"x"',
  "an empty object": "{}",
  nothing: "",
  "half an object": '{"train": {',
  "brackets without end": "[".repeat(20_000),
  "a long text": `"${"x".repeat(1 << 20)}"`,
};

const whole = join(sharedFolder(), "run");
beforeAll(async () => {
  const small = ["train.steps=2", "train.problemsPerStep=2", "train.episodesPerProblem=2", "train.checkpoint.every=1"];
  const trained = await laconic(
    ...cli`train preset:relay-quickstart --device wasm --run ${whole} workers=1 ${small}
    train.evaluation.problems=5 train.evaluation.every=1`,
  );
  if (trained.code !== 0) throw new Error(trained.err);
});

const tolerant = new Set(["view", "export", "rescore", "ls", "compare"]);

const commands: Readonly<Record<string, (run: string) => readonly string[]>> = {
  resume: (run) => ["train", "--resume", run],
  eval: (run) => ["eval", run, "--limit", "2"],
  verify: (run) => ["verify", run],
  analyze: (run) => ["analyze", run, "--limit", "2"],
  report: (run) => ["view", "report", run],
  compare: (run) => ["view", "compare", run, whole],
  export: (run) => ["view", "export", run],
  rescore: (run) => ["analyze", "rescore", run],
  send: (run) => ["view", "send", run, "tensorboard"],
  serve: (run) => ["serve", run, "--port", "0"],
  ls: (run) => ["view", "ls", join(run, "..")],
};

const unworded = /TypeError|RangeError|Cannot read prop|\n\s+at |unexpected/u;

test.each(Object.entries(commands))("%s names the invalid file of a run", async (name, words) => {
  const copy = await copyOfRun(whole);
  const failures: string[] = [];
  for (const [what, content] of Object.entries(contents)) {
    await writeFile(join(copy, "config.json"), content);
    const { code, out, err } = await laconic(...words(copy));
    if (unworded.test(`${out}\n${err}`)) failures.push(`${what}: ${err}`);
    // An object may be the settings of a program's own run.
    if (tolerant.has(name) || (code === 0 && what === "an empty object")) continue;
    if (code === 0 || !err.includes("config.json")) failures.push(`${what}: exit code ${code}: ${out}${err}`);
  }
  expect(failures).toEqual([]);
});

const step = "checkpoints/step-00000002";

test.each([
  "manifest.json",
  "environment.json",
  "changes.jsonl",
  "warnings.jsonl",
  "evaluations.jsonl",
  `${step}/manifest.json`,
  `${step}/state.json`,
  `${step}/laconic.json`,
  `${step}/config.json`,
])("reports or skips %s of another shape without a stack", async (file) => {
  const copy = await copyOfRun(whole);
  const failures: string[] = [];
  for (const what of ["null", "a list", "an empty object", "half an object", "brackets without end"])
    for (const name of ["eval", "verify", "report"]) {
      const content = contents[what] as string;
      await writeFile(join(copy, file), content);
      const { out, err } = await laconic(...(commands[name] as (run: string) => string[])(copy));
      if (unworded.test(`${out}\n${err}`)) failures.push(`${name}, ${what}: ${err}`);
    }
  expect(failures).toEqual([]);
});
