import { expect, test } from "vitest";
import { loadPlot } from "../charts/plot-library.ts";
import { planeFile } from "../charts/plane-chart.ts";
import { tokenChange } from "../run/figures-text.ts";
import { differencesNote } from "./variant-text.ts";
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

test("differences say of how many seeds and problems they are, and what so few do not show", () => {
  expect(differencesNote(3, 400, "test")).toMatch(
    /means of 3 seeds on 400 test problems each.* n = 3 seeds: .*narrower/u,
  );
  expect(differencesNote(1, 400, "test")).toContain("One seed says nothing about another one.");
  expect(differencesNote(8, 400, "test")).not.toContain("n = 8");
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
