import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AblationReport } from "@laconic/view/report";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { cli, expectRefused, laconic, outputOf, rowsIn } from "../../test/laconic.ts";

const tiny = cli`train.steps=2 train.problemsPerStep=2 train.episodesPerProblem=2 train.evaluation.every=0
  train.evaluation.problems=10`;

test("an ablation trains each variant on each seed, compares by problem, and resumes", async () => {
  const folder = await temporaryFolder();
  const own = join(folder, "own.json");
  const out = join(folder, "out");
  await writeFile(own, '{ "o|ne": { "train.steps": 1 } }');
  const preset = ["sweep", "ablate", "preset:relay-quickstart", ...tiny, "--out", out];
  await expectRefused([...preset, "--own", own], 'cannot be named "o|ne"');
  await writeFile(own, '{ "one": { "train.steps": 1 } }');
  const words = [...preset, "--variants", "no-price", "--own", own, "--seeds", "4,7", "--json"];
  const { code, out: printed, err } = await laconic(...words);
  expect(code, err).toBe(0);
  const report = JSON.parse(printed) as AblationReport;
  expect(report.rows.map(({ variant, seeds }) => [variant, seeds])).toEqual([
    ["base", 2],
    ["no-price", 2],
    ["one", 2],
  ]);
  expect(report.seeds).toEqual([4, 7]);
  expect(report.rows[0]).toMatchObject({ tokenDifference: null, published: null });
  expect(report.rows[1]?.published?.said).toBe("tokens nearly triple, accuracy lower");
  const { value = NaN, low = NaN, high = NaN } = report.rows[2]?.tokenDifference ?? {};
  // Equal counts of tokens give no interval.
  expect(low ?? -Infinity).toBeLessThanOrEqual(value);
  expect(high ?? Infinity).toBeGreaterThanOrEqual(value);
  expect(value).toBeCloseTo((report.rows[2]?.tokens ?? 0) - (report.rows[0]?.tokens ?? 0), 9);
  expect((await readdir(out)).toSorted()).toEqual(["ablation.json", "ablation.md", "ablation.svg", "runs"]);
  expect(err).toMatch(/seed 4: run 1 of 6\n[^]*seed 7: run 2 of 6, about .* left/u);
  const written = await readFile(join(out, "ablation.md"), "utf8");
  expect(written).toContain("only directions are comparable");
  expect(written).toContain("one differs from the configuration in train.steps: 2 -> 1.");
  expect(await laconic(...words)).toEqual({ code: 0, out: printed, err: "" }); // nothing was trained again
});

test("fixed prices follow from what the base reached", async () => {
  const out = join(await temporaryFolder(), "out");
  const budget = 'train.budget={"targetTokens":14,"learningRate":0.0001}';
  const words = ["sweep", "ablate", "preset:relay-quickstart", ...tiny, budget, "--out", out, "--seeds", "4", "--json"];
  const two =
    'two:train.objective={"name":"grpo","clip":{"low":0.2,"high":0.2},"kl":{"estimator":"k3","coefficient":0.1}}';
  const all = [...words, "--variants", "fixed-price,fixed-price-double", "--several-factors", two];
  const { rows, split, price } = JSON.parse(await outputOf(...all)) as AblationReport;
  expect(split).toBe("test");
  const last = (await rowsIn(out, "runs/base-4/metrics.jsonl")).at(-1)?.["budget/tokens/lambda"];
  expect(rows.map(({ variant }) => variant)).toEqual(["base", "fixed-price", "fixed-price-double", "two"]);
  expect(price).toBeCloseTo(last as number, 12);
  for (const { score, accuracy, tokens } of rows) expect(score).toBeCloseTo(accuracy - (price ?? NaN) * tokens, 12);
  expect(rows[3]?.about).toMatch(/^ratios and their bounds and KL term together: /u);
  const results = JSON.parse(await readFile(join(out, "ablation.json"), "utf8")) as {
    readonly variant: string;
    readonly changes: readonly { readonly key: string; readonly now: string }[];
  }[];
  const priceOf = (name: string): number =>
    Number(
      results.find(({ variant }) => variant === name)?.changes.find(({ key }) => key === "train.prices.tokens")?.now,
    );
  expect(last).toBeGreaterThan(0);
  expect(priceOf("fixed-price") / (last as number)).toBeCloseTo(1, 4);
  expect(priceOf("fixed-price-double") / priceOf("fixed-price")).toBeCloseTo(2, 4);
});

test.each([
  [["preset:relay-quickstart", "--variants", "no-prize"], "variant no-prize not found; did you mean no-price?"],
  [["preset:relay-quickstart", "--seeds", "1,1"], "--seeds is 1,1, expected seeds"],
  [["preset:relay-quickstart", "--seeds", "0,"], "--seeds is 0,, expected seeds"],
  [["preset:relay-quickstart", "--price", "0"], "--price is 0"],
  [
    ["preset:relay-quickstart", "two:train.objective.name=grpo", "two:train.optimizer.weightDecay=1"],
    "variant two changes 2 factors: ratios and their bounds (train.objective.name",
  ],
  [["preset:relay-hint", "--variants", "no-price"], "variant no-price: no cost has a price"],
  [["preset:relay-hint", "--variants", "fixed-price"], "variant fixed-price: the price of a token is already fixed"],
  [
    ["preset:relay-quickstart", "--variants", "grpo", "train.minibatches=1"],
    "variant grpo: with one update a batch every ratio is 1",
  ],
  [["preset:relay-quickstart", "base:train.steps=1"], "cannot be named base"],
  [["preset:relay-quickstart", "same:train.steps=200"], "variant same: it changes nothing in this configuration"],
  [["preset:relay-quickstart", "odd:train.stepz=1"], "variant odd: train.stepz"],
])("rejects %j before training", async (words, reason) => {
  await expectRefused(["sweep", "ablate", ...words, "--out", join(await temporaryFolder(), "out")], reason);
});
