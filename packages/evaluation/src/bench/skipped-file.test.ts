import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { describeSkipped, skippedFile } from "./bench-folder.ts";
import { writeBenchReport } from "./bench-report.ts";

const skipped = [{ benchmark: "gsm8k", method: "team", questions: 36, of: 1319, reason: null }];

test("questions that a team could not deal are in its bench and its report", async () => {
  const folder = await temporaryFolder();
  await skippedFile.write(folder, []);
  expect(await skippedFile.read(folder)).toEqual([]);
  await skippedFile.write(folder, skipped);
  expect(await skippedFile.read(folder)).toEqual(skipped);
  const config = {
    benchmarks: ["gsm8k"],
    methods: ["vanilla"],
    model: "m",
    baseUrl: "http://localhost",
    limit: 1,
    seed: "0",
    repeats: 1,
    temperature: null,
    maxTokens: 8,
    shots: 0,
    maxUsd: null,
    price: null,
    concurrency: 1,
  };
  await writeFile(join(folder, "bench.json"), JSON.stringify(config));
  await writeFile(join(folder, "samples.jsonl"), "");
  const { markdown } = await writeBenchReport(folder, { spent: null, actorOf: async () => null });
  expect(markdown).toContain(`- ${describeSkipped(skipped).join("")}`);
  expect(describeSkipped(skipped).join("")).toMatch(
    /fewer than two facts .*: team: 36 of 1,319 questions of gsm8k\.$/u,
  );
  await writeFile(join(folder, "left-out.json"), "[{");
  await expect(skippedFile.read(folder)).rejects.toFailWith("data_invalid");
});
