import { join } from "node:path";
import { fileSystemSource } from "@laconic/trainer/reading";
import { memoryFileSystem } from "@laconic/core/files";
import { tinyRun } from "@laconic/trainer/testing";
import { beforeAll, expect, test } from "vitest";
import { EpisodeIndex } from "../src/data/episode-index.ts";
import { MetricColumns } from "../src/data/metric-columns.ts";
import { RunPlace } from "../src/runs/run-place.ts";
import { sharedFolder } from "../../../test/temporary-folder.ts";

const folder = sharedFolder();

beforeAll(async () => {
  const checkpoint = { every: 2, keep: 2 };
  const settings = { steps: 6, checkpoint, evaluation: { every: 0, problems: 1, transcripts: 1 } };
  await tinyRun({ directory: join(folder, "run"), settings });
});

test("searches the newest episodes and finds older ones by key", async () => {
  const index = new EpisodeIndex(new RunPlace(folder, join(folder, "run")), { names: [], counts: new Map() }, 1);
  await index.readNew();
  const before = index.page({ limit: 1000 }).total;
  expect(before).toBe(index.page({ fromStep: 6, limit: 1000 }).total);
  expect((await index.episode("s1.0"))?.row.step).toBe(1);
  expect(index.page({ limit: 1000 }).total).toBeGreaterThanOrEqual(before);
});

test("a long run keeps every few steps with their values and times", async () => {
  const rows = (add: (step: number) => object): string =>
    Array.from({ length: 50_000 }, (_, i) => `${JSON.stringify({ step: i + 1, ...add(i + 1) })}\n`).join("");
  const files = memoryFileSystem({
    "/run/metrics.jsonl": rows((step) => ({ even: 7, double: 2 * step, ...(step > 30_000 && { late: step }) })),
    "/run/timing.jsonl": rows((step) => ({ "timing_s/step": step / 1000 })),
  });
  const known = new MetricColumns(fileSystemSource(files, "/run"), 50_000);
  await known.readNew();
  // Whoever saw it grow has the same in the end.
  const grown = new MetricColumns(fileSystemSource(files, "/run"));
  await grown.readNew();
  for (const columns of [known, grown]) {
    const shown = ["even", "double", "late", "timing_s/step"];
    const { every, steps, columns: values } = columns.table(shown);
    expect(every).toBe(columns === known ? 8 : 4);
    const step = steps.at(-1) as number;
    expect((step - 1) % every).toBe(0);
    expect(shown.map((name) => values[name]?.at(-1))).toEqual([7, 2 * step, step, step / 1000]);
    expect(values["late"]?.[3]).toBeNull();
  }
});
