import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { parseAppConfig } from "@laconic/runtime";
import { presetConfig, presetNames } from "@laconic/runtime/resolver";
import { outputOf } from "../../test/laconic.ts";

interface Outcome {
  readonly accuracy: number;
}

async function trained(preset: string, steps: number): Promise<{ run: string; before: Outcome; after: Outcome }> {
  const folder = await temporaryFolder();
  const run = join(folder, "run");
  const short = [`train.steps=${steps}`, "train.evaluation.problems=200", "train.evaluation.every=0"];
  const out = await outputOf("train", `preset:${preset}`, ...short, "--run", run, "--json");
  return { run, ...(JSON.parse(out) as { before: Outcome; after: Outcome }) };
}

test("a trained hint improves a frozen actor and leaves it unchanged", async () => {
  const { run, before, after } = await trained("relay-hint", 16);
  expect(before.accuracy).toBeLessThan(0.7);
  expect(after.accuracy).toBeGreaterThan(before.accuracy + 0.15);
  // Evaluated from its checkpoint, the actor is again that of the beginning.
  const again = await outputOf("eval", run, "--limit", "200", "--json");
  expect((JSON.parse(again) as Outcome).accuracy).toBeCloseTo(after.accuracy, 1);
});

test("a trained critic improves a frozen actor and leaves it unchanged", async () => {
  const { before, after } = await trained("relay-critic", 24);
  expect(after.accuracy).toBeGreaterThan(before.accuracy + 0.1);
});

describe("two policies with a shared grade", () => {
  test("learn two writing styles and stay separate", async () => {
    const { run, before, after } = await trained("relay-writers", 12);
    expect(after.accuracy).toBeGreaterThan(before.accuracy + (1 - before.accuracy) / 2);
    const [last = ""] = (await readdir(join(run, "checkpoints"))).filter((name) => name.startsWith("step-"));
    expect((await readdir(join(run, "checkpoints", last))).toSorted()).toEqual([
      "first",
      "manifest.json",
      "second",
      "state.json",
    ]);
    const again = await outputOf("eval", run, "--limit", "200", "--json");
    expect((JSON.parse(again) as Outcome).accuracy).toBeCloseTo(after.accuracy, 1);
  });

  test("learn to use feedback between two turns", async () => {
    const { before, after } = await trained("relay-feedback", 16);
    expect(after.accuracy).toBeGreaterThan(before.accuracy + (1 - before.accuracy) / 2);
  });
});

test.each(presetNames)("preset %s is a complete configuration", (name) => {
  expect(parseAppConfig(presetConfig(name)).train.steps).toBeGreaterThan(10);
});
