import { existsSync } from "node:fs";
import { appendFile, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { LaconicError } from "@laconic/core";
import { faultyFileSystem, ProcessKilled, tinyRun, type Faults, type TinyRunOptions } from "@laconic/trainer/testing";
import { runFolder, unsyncedFiles } from "./run-folder.ts";

/** Four steps, two checkpoints, each with an evaluation. */
export const settings = {
  steps: 4,
  problemsPerStep: 2,
  episodesPerProblem: 3,
  evaluation: { every: 2, problems: 3, transcripts: 2 },
  checkpoint: { every: 2, keep: 2 },
};

const files = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"] as const;

export async function traces(directory: string): Promise<string[]> {
  return Promise.all(files.map((name) => readFile(join(directory, name), "latin1")));
}

/** Each process of a test has a different id, and killed ones stay dead. */
let pid = 1000;
export function runIn(directory: string, options: Partial<TinyRunOptions> = {}): ReturnType<typeof tinyRun> {
  pid += 1;
  const processes = { pid, host: hostname(), isAlive: () => false };
  return tinyRun({ directory, settings, fileSystem: unsyncedFiles, processes, ...options });
}

async function killed(directory: string, faults: Faults, options: Partial<TinyRunOptions> = {}): Promise<boolean> {
  try {
    await runIn(directory, { ...options, fileSystem: faultyFileSystem(faults, unsyncedFiles) });
    return false;
  } catch (error) {
    if (!(error instanceof ProcessKilled)) throw error;
    return true;
  }
}

/** Resumes until done. A run without a checkpoint or configuration reports that, and restarts elsewhere. */
async function finish(directory: string): Promise<"resumed" | "run_missing"> {
  try {
    await runIn(directory, { resume: true });
    return "resumed";
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    // There may be nothing complete.
    if (existsSync(join(directory, "checkpoints", "step-00000002"))) throw error;
    if (error.code === "run_missing") return error.code;
    throw error;
  }
}

export async function reference(): Promise<{ readonly expected: string[]; readonly calls: number }> {
  const directory = await runFolder();
  const fileSystem = faultyFileSystem({}, unsyncedFiles);
  await runIn(directory, { fileSystem });
  return { expected: await traces(directory), calls: fileSystem.calls };
}

export const manners = [
  { killed: "before", loseUnsynced: true },
  { killed: "torn" },
  { killed: "after", loseUnsynced: true },
] as const;

export async function killedAt(
  killAt: number,
  manner: Faults,
): Promise<{ readonly outcome: Awaited<ReturnType<typeof finish>>; readonly found: readonly string[] | null }> {
  const directory = await runFolder();
  if (!(await killed(directory, { ...manner, killAt }))) throw new Error(`the run ended before its call ${killAt}`);
  const outcome = await finish(directory);
  const match = outcome === "resumed" ? await traces(directory) : null;
  await rm(directory, { recursive: true, force: true });
  return { outcome, found: match };
}

/** Traces of a run killed after step 3 and in its resume; `again` is false if that resume ended before. */
async function killedAgainAt(killAt: number): Promise<{ readonly again: boolean; readonly found: readonly string[] }> {
  const directory = await runFolder();
  // The rows of step 3 are ahead of the checkpoint at step 2, and a fourth is truncated.
  const die = (step: number): void => {
    if (step === 3) throw new ProcessKilled("after step 3");
  };
  const first = await runIn(directory, { observer: { step: (metrics) => die(metrics["step"] as number) } }).catch(
    (error: unknown) => error,
  );
  if (!(first instanceof ProcessKilled)) throw new Error("the run was not killed after step 3", { cause: first });
  for (const name of files) await appendFile(join(directory, name), `{"step":4,"rew`);
  const again = await killed(directory, { killAt, killed: "torn" }, { resume: true });
  if (again && (await finish(directory)) !== "resumed") throw new Error(`killed at call ${killAt}, it was not resumed`);
  const matches = await traces(directory);
  await rm(directory, { recursive: true, force: true });
  return { again, found: matches };
}

/** Kills a resume at every `stride`-th call, and resumes it again. */
export async function resumesAgain(stride: number): Promise<void> {
  const { expected } = await reference();
  let killAt = 1;
  for (let isOver = false; !isOver; killAt += stride) {
    const { again, found } = await killedAgainAt(killAt);
    isOver = !again;
    expect([killAt, found]).toEqual([killAt, expected]);
  }
  expect(killAt).toBeGreaterThan(40);
}
