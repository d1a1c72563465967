import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { outputOf, rowsIn } from "../../test/laconic.ts";

const telegraph = join(import.meta.dirname, "../../../../examples/telegraph.ts");

async function laconic(...words: readonly string[]): Promise<unknown> {
  const out = await outputOf(...words);
  return JSON.parse(out);
}

test("the last evaluation of a training, eval and a bench give one team the same figures", async () => {
  const folder = await temporaryFolder();
  const run = join(folder, "run");
  await laconic("train", telegraph, "train.steps=1", "--run", run, "--json");
  const last = (await rowsIn(run, "evaluations.jsonl")).at(-1) ?? {};
  const { accuracy = NaN, tokens = NaN, problems } = last;
  expect(problems).toBe(100);
  expect(accuracy).toBeGreaterThan(0);
  expect(accuracy).toBeLessThan(1);
  expect(await laconic("eval", run, "--json")).toMatchObject({ accuracy, tokens, problems, split: "test", seed: 0 });
  expect(await laconic("eval", run, "--seed", "other", "--json")).not.toMatchObject({ tokens });
  const board = ["--benchmarks", `${telegraph}#board`, "--model", "none", "--methods", `team=${run}`];
  const bench = join(folder, "bench");
  await laconic("bench", ...board, "--run", bench, "--json");
  const samples = await rowsIn<{ correct: boolean; completionTokens: number }>(bench, "samples.jsonl");
  const mean = (pick: (sample: (typeof samples)[number]) => number): number =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  expect(mean(({ correct }) => (correct ? 1 : 0))).toBeCloseTo(accuracy, 12);
  expect(mean(({ completionTokens }) => completionTokens)).toBeCloseTo(tokens, 12);
});

test("eval repeats the training's final test result", async () => {
  const run = join(await temporaryFolder(), "run");
  const few = ["train.steps=1", "train.evaluation.problems=50", "train.evaluation.every=0"];
  await laconic("train", "preset:relay-hint", ...few, "--run", run, "--json");
  const { accuracy, tokens, problems } = JSON.parse(await readFile(join(run, "test.json"), "utf8")) as {
    readonly [name: string]: number;
  };
  expect(await laconic("eval", run, "--json")).toMatchObject({ accuracy, tokens, problems, split: "test" });
});
