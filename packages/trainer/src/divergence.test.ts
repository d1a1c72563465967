import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { emptyWatch, watchStep, type PolicySigns } from "./divergence.ts";
import { defaultsOf, divergenceTable } from "./settings/tables.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { findCheckpoint } from "./run/checkpoint.ts";
import { readRunFacts } from "./reading/run-facts.ts";
import { folderSource } from "./reading/run-source.ts";
import { nodeFileSystem, nodeProcesses } from "#platform";
import { tinyParts, tinyRun, type TinyRunOptions } from "./testing/index.ts";

const healthy: PolicySigns = { entropy: 0.5, kl: 0.01, optimizerSteps: 2, skipped: 0 };

/** First step at which these grades and policies stop the run, and the reason; null if none. */
function stopOf(
  grades: readonly number[],
  policies: (step: number) => Readonly<Record<string, PolicySigns>>,
  settings = defaultsOf(divergenceTable),
): readonly [number, string] | null {
  let watch = emptyWatch;
  for (const [i, grade] of grades.entries()) {
    const found = watchStep(watch, { step: i + 1, grade, policies: policies(i + 1) }, settings);
    watch = found.watch;
    if (found.reason !== null) return [i + 1, found.reason];
  }
  return null;
}

const from = (step: number, signs: Partial<PolicySigns>) => (at: number) => ({
  policy: at < step ? healthy : { ...healthy, ...signs },
});
const falling = [0.8, 0.9, 0.9, 0, 0, 0, 0, 0, 0, 0];
const steady = Array.from({ length: 40 }, () => 0.9);
const forgotten = [...steady.slice(0, 3), ...Array.from({ length: 20 }, () => 0.8)];

describe("a run is stopped", () => {
  test.each([
    ["its entropy rises by nats", from(4, { entropy: 3.8 }), "entropy went from 0.500 to 3.800 nats"],
    ["it becomes one fixed text", from(4, { entropy: 0.001 }), "entropy went from 0.500 to 0.001 nats"],
    ["it moves by nats in one step", (at: number) => from(4, { kl: at === 4 ? -2 : 0 })(at), "moved by -2.0 nats"],
  ])("stops if grades fall by half and %s", (_, policies, reason) => {
    const [step, said] = stopOf(falling, policies) ?? [0, ""];
    expect(step).toBe(5); // (0.9 + 0 + 0) / 3 is less than half of the best
    expect(said).toContain(reason);
    expect(said).toContain("the mean grade of the last 3 steps is 30.0 %, at best it was 86.7 % (step 3)");
  });

  test("names the broken policy among several", () => {
    const [, said] = stopOf(falling, (at) => ({ first: healthy, second: from(4, { kl: 5 })(at).policy })) ?? [0, ""];
    expect(said).toContain("the policy second moved");
  });

  test("stops if a broken policy had little to lose and does not recover", () => {
    expect(stopOf(forgotten, from(4, { entropy: 3.8 }))?.[0]).toBe(4 + 11);
  });

  test("continues if a policy is nearly uniform and its grades fall within chance", () => {
    const chance = Array.from({ length: 30 }, (_, at) => 0.13 + 0.002 * (at % 5) + (at > 8 ? 0.001 : 0));
    expect(stopOf(chance, from(4, { entropy: 3.8 }))?.[0]).toBe(4 + 11);
    const better = chance.map((grade, at) => (at > 8 ? 3 * grade : grade));
    expect(stopOf(better, (at) => from(4, at < 12 ? { entropy: 3.8 } : {})(at))).toBeNull();
  });

  test("stops if gradients are no longer finite, but not after one step", () => {
    expect(stopOf(steady, from(7, { skipped: 2 }))).toEqual([9, "no gradient was finite in the last 3 steps"]);
    expect(stopOf(steady, (at) => ({ policy: { ...healthy, skipped: at % 2 === 0 ? 2 : 1 } }))).toBeNull();
  });
});

describe("a run continues", () => {
  test.each([
    ["grades fall and the policy is as it was", falling, from(1, {})],
    ["a policy that moves far earns as much", steady, from(4, { kl: 3 })],
    ["it earned nothing before", falling.map(() => 0), from(4, { entropy: 3.8 })],
    ["all is right, and the policy has become one fixed text", steady, from(4, { entropy: 1e-4 })],
    ["entropy falls as it learns", steady, (at: number) => ({ policy: { ...healthy, entropy: 0.5 * 0.9 ** at } })],
    ["nothing was graded", falling.map(() => Number.NaN), from(4, { entropy: 3.8 })],
    ["nothing was trained", falling, from(1, { entropy: Number.NaN })],
  ])("where %s", (_, grades, policies) => expect(stopOf(grades, policies)).toBeNull());

  test("for as many steps, and as long as so much is left, as the settings say", () => {
    const broken = from(4, { entropy: 3.8 });
    expect(stopOf(falling, broken, { fall: 0.5, steps: 1 })?.[0]).toBe(4);
    expect(stopOf(falling, broken, { fall: 0.9, steps: 3 })?.[0]).toBe(6);
  });
});

test("settings are filled in, and refused out of range", () => {
  expect(parseTrainConfig({}).divergence).toEqual({ fall: 0.5, steps: 3 });
  expect(parseTrainConfig({ divergence: { steps: 9 } }).divergence).toEqual({ fall: 0.5, steps: 9 });
  expect(parseTrainConfig({ divergence: null }).divergence).toBeNull();
  for (const divergence of [{ fall: 1 }, { fall: 0 }, { steps: 0 }, { often: 1 }])
    expect(() => parseTrainConfig({ divergence })).toThrow(LaconicError);
});

async function brokenRun(
  options: Partial<TinyRunOptions> = {},
  brokenRate = -100,
): Promise<{ directory: string; error: unknown }> {
  const directory = await temporaryFolder();
  const parts = tinyParts();
  const [policy] = Object.values(parts.policies);
  if (!policy) throw new Error("there is no policy");
  const { model } = policy;
  let updates = 0;
  const { optimStep } = model;
  model.optimStep = (settings) => {
    const learningRate = ++updates > 18 ? brokenRate : settings.learningRate;
    return optimStep.call(model, { ...settings, learningRate });
  };
  const error = await tinyRun({ directory, parts, ...options }).catch((thrown: unknown) => thrown);
  return { directory, error };
}

const settings = {
  steps: 60,
  checkpoint: { every: 1, keep: 2 },
  evaluation: { every: 4, problems: 40, transcripts: 0 },
};

test("a divergence ends the run in plain words; its best checkpoint is outside the rotation, named, and opens", async () => {
  const { directory, error } = await brokenRun({ settings });
  expect(error).toFailWith("training_diverged", { bestStep: 8 });
  const { message, detail } = error as LaconicError;
  expect(message).toMatch(/^step \d+: training diverged and was stopped: the mean grade of the last 3 steps is/u);
  expect(message).toContain("The likely cause is the learning rate (optimizer.learningRate.peak is ");
  expect(message).toContain("checkpoints/step-00000008 (step 8, ");
  const kept = (await readdir(join(directory, "checkpoints"))).filter((name) => name.startsWith("step-"));
  expect(kept).toContain("step-00000008");
  expect(kept).not.toContain(`step-${String(detail["step"]).padStart(8, "0")}`);
  expect((await findCheckpoint(nodeFileSystem, join(directory, "checkpoints"), "best")).state.step).toBe(8);
  // All recorded numbers are finite, and the last evaluation shows the drop.
  expect(await readFile(join(directory, "metrics.jsonl"), "utf8")).not.toMatch(/NaN|Infinity|null/u);
  const { state, reason, after } = await readRunFacts(folderSource(directory), { processes: nodeProcesses });
  expect([state, reason, after?.step]).toEqual(["stopped", message, detail["step"]]);
});

test("training grades choose the best step without evaluations", async () => {
  const { directory, error } = await brokenRun({
    settings: { ...settings, evaluation: { ...settings.evaluation, every: 0 } },
  });
  const bestStep = (error as LaconicError).detail["bestStep"] as number;
  expect(bestStep).toBeGreaterThan(1);
  expect(bestStep).toBeLessThanOrEqual(10);
  expect((error as LaconicError).message).toContain(`(step ${bestStep}, mean training grade `);
  expect((await findCheckpoint(nodeFileSystem, join(directory, "checkpoints"), "best")).state.step).toBe(bestStep);
});

test("an infinite or out-of-range number is named with its step, the likely cause and the best checkpoint", async () => {
  const { directory, error } = await brokenRun({ settings }, 1e6);
  expect(error).toFailWith("numeric_invalid", { step: 10, bestStep: 8 });
  const { message } = error as LaconicError;
  expect(message).toMatch(/^step 10: logProbs: sequence 0, token 0 is .* The likely cause is the learning rate/u);
  expect(message).toContain("checkpoints/step-00000008");
  const { state, reason } = await readRunFacts(folderSource(directory), { processes: nodeProcesses });
  expect([state, reason]).toEqual(["stopped", message]);
});

test("a run without a guard continues to its end", async () => {
  const { error } = await brokenRun({ settings: { ...settings, steps: 20, divergence: null } });
  expect(error).toMatchObject({ steps: 20 });
});
