import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatDuration } from "@laconic/core/text";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { loadPlot } from "../charts/plot-library.ts";
import { renderReport } from "./page.ts";
import { readRunData } from "./run-data.ts";
import { trainingSeconds } from "@laconic/trainer/reading";

test("the report shows the seconds that the terminal shows: of all steps, before and after a resume", async () => {
  const folder = await temporaryFolder();
  const file = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await file("config.json", "{}");
  await file("environment.json", `{"engine":{"device":"wasm"}}`);
  expect(await trainingSeconds(folder)).toBeNull();
  const rows = [
    { step: 1, "timing_s/rollout": 50, "timing_s/update": 20, "perf/tokens_per_s": 900 },
    { step: 2, "timing_s/rollout": 10, "timing_s/update": 5.5, "perf/tokens_per_s": 900 },
  ];
  await file("timing.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const evaluation = { accuracy: 1, tokens: 9, interval: [0.9, 1] };
  await file("evaluations.jsonl", `${JSON.stringify({ step: 0, ...evaluation })}\n`);
  expect(await trainingSeconds(folder)).toBe(85.5);
  const page = renderReport(await loadPlot(), await readRunData(folder));
  expect(page).toContain(`<dt>of training steps on wasm</dt><dd>${formatDuration(85.5)}</dd>`);
});
