import { expect, test } from "vitest";
import { loadPlot } from "../charts/plot-library.ts";
import { planeFile } from "../charts/plane-chart.ts";
import { tokenChange } from "../run/figures-text.ts";
import { summariseResults, type SweepSummary } from "./summary.ts";
import { differencesNote, differenceText } from "./variant-text.ts";
import type { VariantResult } from "@laconic/runtime";
import { variantPlane } from "./variant-page.ts";

const result = (variant: string, seed: number, tokens: number): VariantResult => ({
  variant,
  about: variant,
  seed,
  before: { accuracy: 0.9, tokens: 60 },
  seconds: 1,
  after: { accuracy: 0.95, tokens },
});

test("a picture of variants needs nothing else, is well-formed, and turns dark with its reader", async () => {
  const attack = `"><script>steal()</script>\u202E\u0000`;
  const results = [result("base", 1, 14), result("base", 2, 16), result(attack, 1, 20)];
  const picture = planeFile(await loadPlot(), variantPlane(results, `Variants of ${attack}`), "wide");
  expect(picture).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/u);
  expect(picture).toContain("@media (prefers-color-scheme:dark)");
  expect(picture).toContain(`fill="var(--panel)"`);
  expect(picture).not.toMatch(/<script|[\u0000\u202e]|fill="#fff"/u);
  expect(picture).toContain("1  base: 95.0 %, 15 tokens");
  expect(picture).toContain("before training: 90.0 %, 60 tokens");
});

test("means say of how many seeds they are, and one variant is joined to its start", () => {
  const three = variantPlane(
    [1, 2, 3].map((seed) => result("base", seed, 13 + seed)),
    "t",
    14,
  );
  expect(three.caption).toContain("means of 3 seeds");
  expect(three).toMatchObject({ joined: "path", budget: 14 });
  expect(three.points.filter(({ faint }) => !faint)).toMatchObject([
    { label: "before" },
    { label: "after", tokens: 15 },
  ]);
  const soFar = variantPlane([result("base", 1, 14), result("base", 2, 14), result("grpo", 1, 20)], "t");
  expect(soFar).toMatchObject({ joined: "none", caption: expect.stringContaining("1 to 2 seeds") as string });
});

/** A table of variants with accuracies seed by seed, at ten tokens each. */
const summaryOf = (
  accuracies: Readonly<Record<string, readonly number[]>>,
  price: number | null = null,
): SweepSummary =>
  summariseResults(
    Object.entries(accuracies).flatMap(([name, values]) =>
      values.map((accuracy, seed) => ({ ...result(name, seed, 10 + seed), test: { accuracy, tokens: 10 } })),
    ),
    400,
    price,
  );

test("differences say of how many seeds, problems and comparisons they are", () => {
  const three = summaryOf({ base: [0.9, 0.91, 0.95], kl: [0.8, 0.82, 0.84] });
  expect(differencesNote(three)).toMatch(
    /means of 3 seeds on the same 400 test problems, 95 % by Student's t .* over the 1 comparison /u,
  );
  expect(differencesNote(summaryOf({ base: [0.9], kl: [0.8] }))).toContain("One seed says nothing about another one.");
});

test("p-values of a table are Holm's, and scores are paired as accuracies are", () => {
  const { rows } = summaryOf(
    {
      base: [0.9, 0.91, 0.95, 0.93],
      clear: [0.7, 0.72, 0.75, 0.73],
      doubtful: [0.88, 0.91, 0.92, 0.92],
      same: [0.9, 0.91, 0.95, 0.93],
    },
    0.001,
  );
  const [, clear, doubtful, same] = rows;
  // Student's t of four differences; alone, `doubtful` would have p 0.103. Tokens are equal: four comparisons are left.
  expect(doubtful?.accuracyDifference?.p).toBeCloseTo(2 * 0.10273, 4);
  expect(clear?.accuracyDifference?.p).toBeLessThan(0.001);
  expect(clear?.tokenDifference).toMatchObject({ value: 0, low: null, p: null });
  expect(same?.accuracyDifference?.p).toBeNull();
  expect(clear?.score).toBeCloseTo(0.725 - 0.01, 12);
  expect(clear?.scoreDifference?.value).toBeCloseTo(clear?.accuracyDifference?.value ?? NaN, 12);
  expect(differenceText(clear?.accuracyDifference ?? null, String)).toMatch(/, p < 0\.001$/u);
});

test("what is equal is not called fewer", () => {
  expect([tokenChange(60, 15), tokenChange(15, 60), tokenChange(60, 60), tokenChange(60, 60.1)]).toEqual([
    "4 times fewer",
    "4 times as many",
    "as many as before",
    "as many as before",
  ]);
  expect([tokenChange(0, 0), tokenChange(60, 0)]).toEqual(["as many as before", "not comparable"]);
});
