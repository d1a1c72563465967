import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Measured } from "@laconic/trainer";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { cli, outputOf } from "../../../test/laconic.ts";

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");

const short = ["warmStart.steps=4", "warmStart.batch=8", "train.steps=1", "train.problemsPerStep=2", "workers=1"];
const words = (preset: string, folder: string, testProblems: number): string[] => cli`train preset:${preset}
  model=${stories} ${short} train.evaluation.problems=${testProblems} --run ${join(folder, "run")} --json`;

test.skipIf(!existsSync(join(stories, "config.json")))(
  "budget examples start a training that reports how tokens follow budgets (needs LACONIC_DATA)",
  async () => {
    const folder = await temporaryFolder();
    const out = await outputOf(...words("story-budget", folder, 24));
    const result = JSON.parse(out) as Record<string, { after: Measured }>;
    for (const group of ["known", "unseen"]) {
      const { measures, language } = result[group]?.after ?? {};
      expect(Math.abs(measures?.["rank_correlation"] ?? 2)).toBeLessThanOrEqual(1);
      expect(language?.["writer"]?.perplexity).toBeGreaterThan(1);
    }
  },
);
