import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  faultyFileSystem,
  ProcessKilled,
  tinyParts,
  tinyRun,
  type Faults,
  type TinyRunOptions,
} from "../testing/index.ts";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";

/** Four steps, two checkpoints, an evaluation at each. */
const settings = {
  steps: 4,
  problemsPerStep: 2,
  episodesPerProblem: 3,
  evaluation: { every: 2, problems: 3, transcripts: 2 },
  checkpoint: { every: 2, keep: 2 },
};

/** What must not depend on kills. */
const files = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"] as const;

/** Without its syncs the sweep takes seconds; what a lost sync costs is modelled by `loseUnsynced`. */
const fastFileSystem: FileSystem = {
  ...nodeFileSystem,
  write: (path, data) => writeFile(path, data),
  append: (path, data) => appendFile(path, data),
  rename,
  syncFile: async () => undefined,
  syncDirectory: async () => undefined,
};

async function temporary(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "laconic-run-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return join(path, "run");
}

async function traces(directory: string): Promise<string[]> {
  return Promise.all(files.map((name) => readFile(join(directory, name), "latin1")));
}

/** Every process of a test has its own number, and none of the killed ones lives on. */
let pid = 1000;
function runIn(directory: string, options: Partial<TinyRunOptions> = {}): ReturnType<typeof tinyRun> {
  pid += 1;
  const processes = { pid, host: hostname(), isAlive: () => false };
  return tinyRun({ directory, settings, fileSystem: fastFileSystem, processes, ...options });
}

/** Runs until the fault; resolves false when the run ended before it. */
async function killed(directory: string, faults: Faults, options: Partial<TinyRunOptions> = {}): Promise<boolean> {
  try {
    await runIn(directory, { ...options, fileSystem: faultyFileSystem(faults, fastFileSystem) });
    return false;
  } catch (error) {
    if (!(error instanceof ProcessKilled)) throw error;
    return true;
  }
}

/** Resumes until done; a run without a checkpoint or a configuration says so, and starts again elsewhere. */
async function finish(directory: string): Promise<"resumed" | "checkpoint_missing" | "run_missing"> {
  try {
    await runIn(directory, { resume: true });
    return "resumed";
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    // Nothing whole may have been there.
    if (existsSync(join(directory, "checkpoints", "step-00000002"))) throw error;
    if (error.code === "checkpoint_missing" || error.code === "run_missing") return error.code;
    throw error;
  }
}

async function reference(): Promise<{ readonly expected: string[]; readonly calls: number }> {
  const directory = await temporary();
  const fileSystem = faultyFileSystem({}, fastFileSystem);
  await runIn(directory, { fileSystem });
  return { expected: await traces(directory), calls: fileSystem.calls };
}

describe("killed at every file-system call, resumed", () => {
  test.each([
    { killed: "before", loseUnsynced: true },
    { killed: "torn" },
    { killed: "after", loseUnsynced: true },
  ] as const)("%j: the files are those of an uninterrupted run", { timeout: 300_000 }, async (manner) => {
    const { expected, calls } = await reference();
    expect(calls).toBeGreaterThan(45);
    const outcomes: Record<string, number> = { resumed: 0, checkpoint_missing: 0, run_missing: 0 };
    for (let killAt = 1; killAt <= calls; killAt++) {
      const directory = await temporary();
      expect(await killed(directory, { ...manner, killAt })).toBe(true);
      const outcome = await finish(directory);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      const found = outcome === "resumed" ? await traces(directory) : expected;
      expect([killAt, found]).toEqual([killAt, expected]);
      await rm(directory, { recursive: true, force: true });
    }
    expect(outcomes["resumed"]).toBeGreaterThan(15);
    expect(outcomes["checkpoint_missing"]).toBeGreaterThan(10);
    expect(outcomes["run_missing"]).toBeGreaterThan(3);
  });

  test("a resume that is itself killed anywhere is resumed again", { timeout: 300_000 }, async () => {
    const { expected } = await reference();
    let done = false;
    let killAt = 0;
    while (!done) {
      killAt += 1;
      const directory = await temporary();
      // The first death comes after step 3, whose rows are ahead of the checkpoint at step 2, and tears a fourth.
      const die = (step: number): void => {
        if (step === 3) throw new ProcessKilled("after step 3");
      };
      const dying = runIn(directory, { observer: { step: (metrics) => die(metrics["step"] as number) } });
      await expect(dying).rejects.toBeInstanceOf(ProcessKilled);
      for (const name of files) await appendFile(join(directory, name), `{"step":4,"rew`);
      done = !(await killed(directory, { killAt, killed: "torn" }, { resume: true }));
      expect(done ? "resumed" : await finish(directory)).toBe("resumed");
      expect([killAt, await traces(directory)]).toEqual([killAt, expected]);
      await rm(directory, { recursive: true, force: true });
    }
    expect(killAt).toBeGreaterThan(40);
  });
});

test("an interrupt finishes the step, saves it, and the resumed run ends like an uninterrupted one", async () => {
  const { expected } = await reference();
  for (const stopAfter of [1, 2, 3]) {
    const directory = await temporary();
    const stop = new AbortController();
    const observer = { step: (metrics: Record<string, number>) => metrics["step"] === stopAfter && stop.abort() };
    const first = await runIn(directory, { signal: stop.signal, observer: { step: (m) => void observer.step(m) } });
    expect(first).toMatchObject({ steps: stopAfter, interrupted: true });
    expect(existsSync(join(directory, "checkpoints", `step-0000000${stopAfter}`))).toBe(true);
    const second = await runIn(directory, { resume: true });
    expect(second).toMatchObject({ steps: 4, interrupted: false });
    expect(await traces(directory)).toEqual(expected);
  }
});

test("an interrupt before the first step leaves a checkpoint too", async () => {
  const { expected } = await reference();
  const directory = await temporary();
  expect(await runIn(directory, { signal: AbortSignal.abort() })).toMatchObject({ steps: 0, interrupted: true });
  await runIn(directory, { resume: true });
  expect(await traces(directory)).toEqual(expected);
});

test("an old policy that outlives steps resumes identically: an interrupt waits for its refresh", async () => {
  const refresh = { ...settings, refreshOldPolicyEvery: 2 };
  const [whole, cut] = [await temporary(), await temporary()];
  await runIn(whole, { settings: refresh });
  const stop = new AbortController();
  const observer = { step: () => stop.abort() };
  const first = await runIn(cut, { settings: refresh, signal: stop.signal, observer });
  expect(first).toMatchObject({ steps: 2, interrupted: true });
  await runIn(cut, { settings: refresh, resume: true });
  expect(await traces(cut)).toEqual(await traces(whole));
});

test("the reference of a KL term is the policy before the first step, also after a resume", async () => {
  const penalised = { ...settings, objective: { name: "gspo", kl: { estimator: "k3+", coefficient: 0.2 } } };
  const [whole, cut] = [await temporary(), await temporary()];
  await runIn(whole, { settings: penalised });
  const stop = new AbortController();
  await runIn(cut, { settings: penalised, signal: stop.signal, observer: { step: () => stop.abort() } });
  await runIn(cut, { settings: penalised, resume: true });
  expect(await traces(cut)).toEqual(await traces(whole));
  expect((await traces(whole))[0]).toMatch(/"actor\/kl_loss":0\.0*[1-9]/);
});

test("a budget's state survives: the resumed price goes on where it was", async () => {
  const budget = { targetTokens: 2, learningRate: 0.01, warmupIterations: 1, annealIterations: 3 };
  const steered = { ...settings, prices: {}, budget };
  const [whole, cut] = [await temporary(), await temporary()];
  await runIn(whole, { settings: steered });
  const stop = new AbortController();
  await runIn(cut, { settings: steered, signal: stop.signal, observer: { step: () => stop.abort() } });
  await runIn(cut, { settings: steered, resume: true });
  expect(await traces(cut)).toEqual(await traces(whole));
  expect((await traces(whole))[0]).toMatch(/"budget\/tokens\/lambda":0\.\d+/);
});

test("resuming a finished run changes nothing", async () => {
  const { expected } = await reference();
  const directory = await temporary();
  const done = await runIn(directory);
  const parts = tinyParts();
  expect(await runIn(directory, { resume: true, parts })).toEqual(done);
  expect(await traces(directory)).toEqual(expected);
  expect(parts.model.weightVersion).toBe(8);
});
