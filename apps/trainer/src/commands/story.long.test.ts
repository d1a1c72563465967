import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Measured } from "@laconic/trainer";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { main } from "../main.ts";

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");

/** Trains what a warm start made in the folder, for one step. */
function oneStep(preset: string, folder: string, testProblems: number): string[] {
  const model = [`model=${join(folder, "taught")}`, "warmStart=null"];
  const short = ["train.steps=1", "train.problemsPerStep=2", `train.evaluation.problems=${testProblems}`, "workers=1"];
  return ["train", `preset:${preset}`, ...model, ...short, "--run", join(folder, "run"), "--json"];
}

test.skipIf(!existsSync(join(stories, "config.json")))(
  "a warm start writes a folder that trains, without the optimiser's state (needs LACONIC_DATA)",
  async () => {
    const folder = await temporaryFolder();
    const taught = join(folder, "taught");
    const terminal = recordingTerminal();
    const words = [
      "story",
      "warm-start",
      "--model",
      stories,
      "--out",
      taught,
      "--steps",
      "4",
      "--batch",
      "8",
      "--json",
    ];
    expect(await main(words, { terminal })).toBe(0);
    const { loss } = JSON.parse(terminal.out.at(-1) ?? "{}") as { loss: number };
    expect(loss).toBeGreaterThan(0.5);
    expect(loss).toBeLessThan(4);
    expect((await readdir(taught)).toSorted()).toEqual([
      "config.json",
      "generation_config.json",
      "model.safetensors",
      "tokenizer.json",
      "tokenizer_config.json",
      "warm-start.json",
    ]);
    expect(await main(oneStep("story-relay", folder, 4), { terminal })).toBe(0);
  },
);

test.skipIf(!existsSync(join(stories, "config.json")))(
  "examples of budgets start a training that says how tokens follow them (needs LACONIC_DATA)",
  async () => {
    const folder = await temporaryFolder();
    const taught = join(folder, "taught");
    const terminal = recordingTerminal();
    const lessons = ["story", "warm-start", "--lessons", "budgets", "--model", stories, "--out", taught];
    expect(await main([...lessons, "--steps", "4", "--batch", "8"], { terminal })).toBe(0);
    expect(await main(oneStep("story-budget", folder, 24), { terminal })).toBe(0);
    const said = JSON.parse(terminal.out.at(-1) ?? "{}") as Record<string, { after: Measured }>;
    for (const group of ["known", "unseen"]) {
      const { measures, language } = said[group]?.after ?? {};
      expect(Math.abs(measures?.["rank_correlation"] ?? 2)).toBeLessThanOrEqual(1);
      expect(language?.["writer"]?.perplexity).toBeGreaterThan(1);
    }
  },
);

test("how a budget is said goes with examples of budgets alone", async () => {
  const terminal = recordingTerminal();
  const words = ["story", "warm-start", "--model", "nowhere", "--out", "nowhere", "--form", "digits"];
  expect(await main(words, { terminal })).toBe(2);
  expect(terminal.err.join("\n")).toMatch(/--form .+ goes with --examples budgets/u);
});
