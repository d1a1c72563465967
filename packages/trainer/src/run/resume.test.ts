import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reference, runIn, settings, traces } from "../../test/killed-runs.ts";
import { runFolder, stoppingAfter } from "../../test/run-folder.ts";
import { tinyParts } from "../testing/index.ts";

test("an interrupt finishes the step, saves it, and the resumed run ends like an uninterrupted one", async () => {
  const { expected } = await reference();
  for (const stopAfter of [1, 2, 3]) {
    const directory = await runFolder();
    const first = await runIn(directory, stoppingAfter(stopAfter));
    expect(first).toMatchObject({ steps: stopAfter, interrupted: true });
    expect(existsSync(join(directory, "checkpoints", `step-0000000${stopAfter}`))).toBe(true);
    const second = await runIn(directory, { resume: true });
    expect(second).toMatchObject({ steps: 4, interrupted: false });
    expect(await traces(directory)).toEqual(expected);
  }
});

test("an interrupt before the first step leaves a checkpoint too", async () => {
  const { expected } = await reference();
  const directory = await runFolder();
  expect(await runIn(directory, { signal: AbortSignal.abort() })).toMatchObject({ steps: 0, interrupted: true });
  await runIn(directory, { resume: true });
  expect(await traces(directory)).toEqual(expected);
});

test("an old policy that outlives steps resumes identically: an interrupt waits for its refresh", async () => {
  const refresh = { ...settings, refreshOldPolicyEvery: 2 };
  const [whole, cut] = [await runFolder(), await runFolder()];
  await runIn(whole, { settings: refresh });
  const first = await runIn(cut, { settings: refresh, ...stoppingAfter(1) });
  expect(first).toMatchObject({ steps: 2, interrupted: true });
  await runIn(cut, { settings: refresh, resume: true });
  expect(await traces(cut)).toEqual(await traces(whole));
});

test("resuming a finished run changes nothing", async () => {
  const { expected } = await reference();
  const directory = await runFolder();
  const done = await runIn(directory);
  const parts = tinyParts();
  expect(await runIn(directory, { resume: true, parts })).toEqual(done);
  expect(await traces(directory)).toEqual(expected);
  expect(parts.model.weightVersion).toBe(8);
});

test("signs of dead training survive: a resumed run has the warnings and the state of an unbroken one", async () => {
  const alike = (): ReturnType<typeof tinyParts> => {
    const parts = tinyParts();
    return { ...parts, task: { ...parts.task, grader: () => 0 } };
  };
  const equal = { ...settings, steps: 6, prices: { tokens: 0 } };
  const kept = (directory: string): Promise<string[]> =>
    Promise.all(
      ["warnings.jsonl", "checkpoints/step-00000006/state.json"].map((name) => readFile(join(directory, name), "utf8")),
    );
  const whole = await runFolder();
  await runIn(whole, { settings: equal, parts: alike() });
  const [warnings] = await kept(whole);
  expect(warnings?.match(/in every group of the last 3 steps \(to step 3\) the rewards are equal/gu)).toHaveLength(1);
  for (const stopAfter of [1, 2, 3, 5]) {
    const cut = await runFolder();
    await runIn(cut, { settings: equal, parts: alike(), ...stoppingAfter(stopAfter) });
    await runIn(cut, { settings: equal, parts: alike(), resume: true });
    expect(await kept(cut)).toEqual(await kept(whole));
  }
});
