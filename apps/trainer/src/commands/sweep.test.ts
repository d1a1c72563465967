import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { variantsOf } from "@laconic/runtime";
import { cli, outputOf } from "../../test/laconic.ts";

test("combines all values of settings; commas in brackets and quotes do not separate", () => {
  const { variants, fixed } = variantsOf(["a.b=1,2", 'c={"x":[1,2]}', "d=x,y", 'e="p,q"']);
  expect(fixed).toEqual(['c={"x":[1,2]}', 'e="p,q"']);
  expect(variants.map(({ name }) => name)).toEqual(["b-1_d-x", "b-1_d-y", "b-2_d-x", "b-2_d-y"]);
  expect(variants[0]?.overrides).toEqual(["a.b=1", "d=x"]);
  expect(variantsOf(['f={"x":1},null']).variants.map(({ about }) => about)).toEqual(['f={"x":1}', "f=null"]);
  expect(variantsOf(["g=../../x,b"]).variants[0]?.name).not.toContain("/");
  expect(() => variantsOf(["a=1"])).toThrow(/nothing varies/u);
  expect(() => variantsOf(["a=1,2,3,4,5,6,7,8,9,10", "b=1,2,3,4,5,6,7,8,9,10", "c=1,2,3"])).toThrow(/300 variants/u);
});

test.each([
  [cli`sweep preset:relay-quickstart train.steps=2,3`, "steps-2: train.steps 200 -> 2"],
  [cli`sweep ablate preset:relay-quickstart --variants grpo`, 'grpo: train.objective.name "gspo" -> "grpo"'],
])("%j --dry-run lists changed settings and writes nothing", async (words, line) => {
  const out = join(await temporaryFolder(), "out");
  expect(await outputOf(...words, "--out", out, "--dry-run")).toContain(`\n${line}`);
  expect(existsSync(out)).toBe(false);
});

test("a sweep compares variants by problem and resumes", async () => {
  const folder = await temporaryFolder();
  const words = cli`sweep preset:relay-quickstart train.budget.targetTokens=8,60 train.steps=2 train.problemsPerStep=2
    train.evaluation.problems=20 --out ${folder} --json`;
  const out = await outputOf(...words);
  const summary = JSON.parse(out) as {
    rows: { about: string; seeds: number; accuracyDifference: object | null }[];
    hypervolume: number;
  };
  expect(summary.rows.map(({ about }) => about)).toEqual([
    "train.budget.targetTokens=8",
    "train.budget.targetTokens=60",
  ]);
  expect(summary.rows[0]?.accuracyDifference).toBeNull();
  expect(summary.rows[1]?.accuracyDifference).toMatchObject({ low: expect.any(Number) as number });
  expect(summary.hypervolume).toBeGreaterThanOrEqual(0);
  const first = await readFile(join(folder, "sweep.json"), "utf8");
  expect(await outputOf(...words)).toBe(out);
  expect(await readFile(join(folder, "sweep.json"), "utf8")).toBe(first); // nothing was trained again
  expect(await readFile(join(folder, "sweep.md"), "utf8")).toContain("| variant |");
  expect(await outputOf(...words.slice(0, -1), "--dry-run")).toContain("targetTokens-60: ");
});
