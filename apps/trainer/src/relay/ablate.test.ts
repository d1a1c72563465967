import { expect, test } from "vitest";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import type { VariantResult } from "../sweep/run-variants.ts";
import { ablate, ablationTable } from "./ablate.ts";
import { renderAblationChart } from "./ablation-chart.ts";

function result(variant: string, seed: number, accuracy: number, tokens: number): VariantResult {
  const before = { accuracy: 0.9, tokens: 60 };
  return { variant, about: `about ${variant}`, seed, before, after: { accuracy, tokens }, seconds: 1 };
}

const results = [result("a<b", 0, 0.9, 10), result("a<b", 1, 0.8, 20), result("c", 0, 1, 40)];

test("the table gives means over seeds, one row per variant, in order", () => {
  expect(ablationTable(results)).toBe(
    [
      "| variant | what changes | accuracy before | after | tokens before | after | seeds |",
      "|---|---|---|---|---|---|---|",
      "| a<b | about a<b | 90.0 % | 85.0 % | 60 | 15 | 2 |",
      "| c | about c | 90.0 % | 100.0 % | 60 | 40 | 1 |",
    ].join("\n"),
  );
});

test("the chart draws the start and the end of every run, and escapes names", () => {
  const chart = renderAblationChart(results);
  expect(chart.match(/<circle/g)).toHaveLength(2 * 3 + 2); // runs, legend
  expect(chart).toContain("a&lt;b, seed 1: 80.0 %, 20 tokens");
  expect(chart).not.toContain("a<b");
  expect(chart).not.toContain("NaN");
});

test("an unknown variant is refused with the nearest name before anything runs", async () => {
  const options = { folder: "unused", seeds: 1, only: ["no-prize"], overrides: [], json: false };
  await expect(ablate(options, recordingTerminal())).rejects.toMatchObject({
    code: "config_invalid",
    message: "there is no variant no-prize; did you mean no-price?",
  });
});
