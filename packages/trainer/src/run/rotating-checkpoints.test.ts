import { LaconicError } from "@laconic/core";
import { memoryFileSystem, type FileSystem } from "@laconic/core/files";
import { expect, test } from "vitest";
import { findCheckpoint, saveCheckpoint, settleCheckpoints } from "./checkpoint.ts";
import { type LoopState } from "./loop-state.ts";

const evaluation = { step: 0, problems: 1, accuracy: 0, interval: [0, 1] as const, tokens: 1, silence: {} };

function stateOf(step: number, best: number): LoopState {
  const seen = { step: best, accuracy: 1, since: 0 };
  return { step, budgets: {}, policyBudgets: {}, estimators: {}, before: evaluation, after: evaluation, best: seen };
}

async function running(
  isDue: (call: number) => boolean,
): Promise<{ fs: FileSystem; calls: () => number; newest: () => number }> {
  const stored = memoryFileSystem();
  let calls = 0;
  let step = 1;
  const save = async (): Promise<void> => saveCheckpoint(stored, "c", {}, stateOf(step, step), 1);
  await save();
  const due = async (): Promise<void> => {
    calls += 1;
    if (!isDue(calls)) return;
    step += 1;
    await save();
  };
  const fs = new Proxy(stored, {
    get:
      (target, name: keyof FileSystem) =>
      async (...input: unknown[]) => {
        await due();
        return (target[name] as (...all: unknown[]) => Promise<unknown>)(...input);
      },
  });
  return { fs, calls: () => calls, newest: () => step };
}

test.each(["latest", "best"] as const)(
  "the %s is found whichever read a run replaces its checkpoint before",
  async (which) => {
    const quiet = await running(() => false);
    await findCheckpoint(quiet.fs, "c", which);
    expect(quiet.calls()).toBeGreaterThan(3);
    for (let index = 1; index <= quiet.calls(); index++)
      for (const times of [1, 2, 3]) {
        const { fs, newest } = await running((call) => call >= index && call < index + times);
        const { state, warnings } = await findCheckpoint(fs, "c", which);
        expect([index, times, state.step, warnings]).toEqual([index, times, newest(), []]);
      }
  },
);

test("gives up with a message if a run replaces its checkpoint before every read", async () => {
  const { fs } = await running(() => true);
  const error: unknown = await findCheckpoint(fs, "c").catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(LaconicError);
  expect(error).toFailWith("checkpoint_missing", "before they could be read");
});

test("skips a damaged checkpoint with a warning", async () => {
  const fs = memoryFileSystem();
  await saveCheckpoint(fs, "c", {}, stateOf(1, 1), 2);
  await saveCheckpoint(fs, "c", {}, stateOf(2, 1), 2);
  await fs.remove("c/step-00000002/state.json");
  expect(await findCheckpoint(fs, "c")).toMatchObject({
    state: { step: 1 },
    warnings: [expect.stringContaining("step-00000002")],
  });
});

test("a resume syncs the checkpoint's names, because its writer may have been killed", async () => {
  const fs = memoryFileSystem();
  await saveCheckpoint(fs, "c", {}, stateOf(1, 1), 2);
  const synced: string[] = [];
  const spied: FileSystem = { ...fs, syncDirectory: async (path) => void synced.push(path) };
  await settleCheckpoints(spied, "c", stateOf(1, 1), 2);
  expect(synced).toEqual(["c"]);
});
