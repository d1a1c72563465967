import { existsSync } from "node:fs";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingTerminal, type RecordingTerminal } from "../../test/recording-terminal.ts";
import { main } from "../main.ts";
import { variantsOf } from "@laconic/runtime";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { cli, expectRefused, laconic, outputOf } from "../../test/laconic.ts";

const timeout = 180_000;

const small = ["train.steps=4", "train.problemsPerStep=2", "train.episodesPerProblem=2", "train.evaluation.every=0"];
const often = [...small, "train.evaluation.problems=20", "train.checkpoint.every=1"];

async function interrupted(words: readonly string[], position: RegExp): Promise<RecordingTerminal> {
  const recording = recordingTerminal();
  let isSent = false;
  const terminal = {
    ...recording,
    note: (line: string) => {
      recording.note(line);
      if (isSent || !position.test(recording.err.join("\n"))) return;
      isSent = true;
      process.emit("SIGTERM", "SIGTERM");
    },
  };
  expect(await main(words, { terminal })).toBe(143);
  return recording;
}

const finalRows = async (folder: string, runs: readonly string[]): Promise<string[]> =>
  Promise.all(runs.map((run) => readFile(join(folder, "runs", run, "metrics.jsonl"), "utf8")));

test("the same command resumes an interrupted sweep and keeps finished runs", { timeout }, async () => {
  const [straight, cut] = [await temporaryFolder(), await temporaryFolder()];
  const words = (folder: string): string[] => cli`sweep preset:relay-quickstart train.budget.targetTokens=8,60
      ${often} --out ${folder}`;
  const runs = ["targetTokens-8-0", "targetTokens-60-0"];
  await outputOf(...words(straight));
  const first = await interrupted(words(cut), /targetTokens-60[^]*validation at step 0/u);
  expect(first.err.join("\n")).toContain("the same command continues from here");
  expect((JSON.parse(await readFile(join(cut, "sweep.json"), "utf8")) as object[]).length).toBe(1);
  const done = await readFile(join(cut, "runs", runs[0] as string, "timing.jsonl"), "utf8");
  const again = await laconic(...words(cut));
  expect([again.code, again.err]).toEqual([0, expect.not.stringContaining("targetTokens-8 ")]);
  expect(await readFile(join(cut, "runs", runs[0] as string, "timing.jsonl"), "utf8")).toBe(done);
  expect(await finalRows(cut, runs)).toEqual(await finalRows(straight, runs));
  expect(await readFile(join(cut, "sweep.md"), "utf8")).toBe(await readFile(join(straight, "sweep.md"), "utf8"));
  // Killed before its first checkpoint, and before its result was kept: it starts over.
  await rm(join(cut, "runs", runs[1] as string, "checkpoints"), { recursive: true });
  await writeFile(join(cut, "sweep.json"), "[]");
  await outputOf(...words(cut));
  expect(await finalRows(cut, runs)).toEqual(await finalRows(straight, runs));
  await expectRefused(
    [...words(cut), "train.minibatches=1"],
    "was trained with train.minibatches 2, not 1; choose another folder",
  );
});

test("resumes an interrupted ablation", { timeout }, async () => {
  const folder = await temporaryFolder();
  const words = cli`sweep ablate preset:relay-quickstart --variants no-price --seeds 0 wide:train.minibatches=1
    ${often} --out ${folder}`;
  await interrupted(words, /no-price[^]*validation at step 0/u);
  const out = await outputOf(...words, "--json");
  const { rows } = JSON.parse(out) as { rows: { variant: string }[] };
  expect(rows.map(({ variant }) => variant)).toEqual(["base", "no-price", "wide"]);
  expect((await readdir(folder)).toSorted()).toEqual(["ablation.json", "ablation.md", "ablation.svg", "runs"]);
  for (const metrics of await finalRows(folder, ["base-0", "no-price-0", "wide-0"]))
    expect(metrics.trimEnd().split("\n").length).toBe(4);
});

test.each([
  ["train.minibatches=1,2,500", "variant minibatches-500: train.minibatches: 500 parts of 4 episodes"],
  ["task.level=one-fact,two-facts", "variant level-two-facts: model"],
])("checks all variants before the first trains: %s", async (word, reason) => {
  const folder = join(await temporaryFolder(), "sweep");
  await expectRefused(["sweep", "preset:relay-quickstart", word, ...often, "--out", folder], reason);
  expect(existsSync(folder)).toBe(false);
});

test("rejects unreadable results in one line", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "sweep.json"), '[{"variant":');
  const words = ["sweep", "preset:relay-quickstart", "train.minibatches=1,2", ...often, "--out", folder];
  await expectRefused(words, /^laconic: .*sweep\.json has no results; remove it.*$/u);
});

test("variants with similar names have separate folders", () => {
  const { variants } = variantsOf(["a=x/y,x y"]);
  expect(variants.map(({ name }) => name)).toEqual(["a-x-y", "a-x-y-2"]);
});

test("each configuration is combined with each value and keeps its identity", () => {
  const [hint, actor] = [{ task: { name: "relay-hint" } }, { task: { name: "relay-actor" } }];
  const configurations = [
    { name: "preset:relay-hint", base: hint },
    { name: "preset:relay-actor", base: actor },
  ];
  const { variants, fixed } = variantsOf(["train.problemPool=100,500", "train.steps=4"], configurations);
  expect(fixed).toEqual(["train.steps=4"]);
  expect(variants.map(({ name, base, overrides }) => [name, base, overrides])).toEqual([
    ["relay-hint_problemPool-100", hint, ["train.problemPool=100"]],
    ["relay-hint_problemPool-500", hint, ["train.problemPool=500"]],
    ["relay-actor_problemPool-100", actor, ["train.problemPool=100"]],
    ["relay-actor_problemPool-500", actor, ["train.problemPool=500"]],
  ]);
  expect(variantsOf([], configurations).variants.map(({ name }) => name)).toEqual(["relay-hint", "relay-actor"]);
  expect(variantsOf(["a=1,2"], configurations.slice(1)).variants.map(({ name }) => name)).toEqual(["a-1", "a-2"]);
});
