import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect } from "vitest";
import { root } from "../workspace.ts";
import { complaintAbout, laconic, type Ended } from "./laconic-process.ts";

/** Small quickstart: three steps, with an evaluation and a checkpoint after each. */
export const smallSettings: readonly string[] = [
  "workers=1",
  "train.steps=3",
  "train.problemsPerStep=2",
  "train.episodesPerProblem=2",
  "train.evaluation.problems=10",
  "train.evaluation.every=1",
  "train.checkpoint.every=1",
];

export const trainWords = (run: string, of = "preset:relay-quickstart"): readonly string[] => [
  "train",
  of,
  "--device",
  "wasm",
  "--run",
  run,
  ...smallSettings,
];

/** Run file with opponents, critics, a tool, supervised examples and a price. */
export const wholeRun: string = join(root, "apps/trainer/test/whole-run.ts");

export async function contentOf(run: string): Promise<Readonly<Record<string, string>>> {
  const traces = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"];
  const steps = (await readdir(join(run, "checkpoints"))).filter((name) => name.startsWith("step-"));
  const last = `checkpoints/${steps.toSorted().at(-1)}`;
  const saved = await readdir(join(run, last), { recursive: true, withFileTypes: true });
  const paths = saved.flatMap((item) => (item.isFile() ? [relative(run, join(item.parentPath, item.name))] : []));
  const files = [...traces, ...paths.toSorted()];
  const hashes = files.map(async (file) => {
    const hash = createHash("sha256").update(await readFile(join(run, file)));
    return [file, hash.digest("hex")] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** Acts like a user after a kill: resumes, and follows the message if that is refused. */
export async function goOn(run: string, again: readonly string[] = trainWords(run)): Promise<Ended> {
  const resumed = await laconic(["train", "--resume", "--run", run]);
  expect(complaintAbout(resumed)).toBeNull();
  if (resumed.code !== 2) return resumed;
  expect(resumed.err).toMatch(/has no run|remove the run directory and start it again/u);
  await rm(run, { recursive: true, force: true });
  return laconic(again);
}
