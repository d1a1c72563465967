import { appendFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { nodeProcesses } from "#platform";
import { runFolder, unsyncedFiles } from "../../test/run-folder.ts";
import { eachEpisode } from "../reading/episode-content.ts";
import { folderSource } from "../reading/folder-source.ts";
import { readRows } from "../reading/rows.ts";
import { faultyFileSystem, ProcessKilled, tinyRun, type Faults, type TinyRunOptions } from "../testing/index.ts";
import { readRunFacts } from "../reading/run-facts.ts";
import { unequalFiles } from "../reading/run-files.ts";

/** Eight steps, a checkpoint at every second: metrics and episodes begin a new part at each, evaluations at some. */
const settings = {
  steps: 8,
  problemsPerStep: 1,
  episodesPerProblem: 2,
  evaluation: { every: 2, problems: 1, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
  retention: { partMiB: 0.0005 },
};

let pid = 1000;
function runIn(directory: string, options: Partial<TinyRunOptions> = {}): ReturnType<typeof tinyRun> {
  pid += 1;
  const processes = { pid, host: hostname(), isAlive: () => false };
  return tinyRun({ directory, settings, fileSystem: unsyncedFiles, processes, ...options });
}

/** What is said of a kill, and not of a run that had none. */
const said = ["LOCK", "warnings.jsonl"];

/** Bytes of every file but those of clock and machine, and checkpoints that a later one removes, by path. */
async function filesOf(directory: string): Promise<Record<string, string>> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = found.flatMap((each) =>
    each.isFile() ? [join(each.parentPath, each.name).slice(directory.length + 1)] : [],
  );
  const isEqual = (name: string): boolean =>
    !name.startsWith("checkpoints/") &&
    !unequalFiles.includes(name.split("/")[0] ?? "") &&
    !name.startsWith("parts/timing.") &&
    !said.includes(name);
  const kept = names.filter(isEqual).toSorted();
  return Object.fromEntries(
    await Promise.all(kept.map(async (name) => [name, await readFile(join(directory, name), "base64")])),
  ) as Record<string, string>;
}

const partsIn = (files: Readonly<Record<string, string>>): string[] =>
  Object.keys(files).filter((name) => name.startsWith("parts/"));

let whole: Record<string, string> = {};
let calls = 0;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "laconic-parts-"));
  const fileSystem = faultyFileSystem({}, unsyncedFiles);
  await runIn(join(folder, "run"), { fileSystem });
  calls = fileSystem.calls;
  whole = await filesOf(join(folder, "run"));
  await rm(folder, { recursive: true });
});

test("files that grow go on in parts, and read as if they had not", async () => {
  const [divided, undivided] = [await runFolder(), await runFolder()];
  await runIn(divided);
  await runIn(undivided, { settings: { ...settings, retention: null } });
  expect(partsIn(await filesOf(divided))).toEqual(
    expect.arrayContaining([
      "parts/episodes.000000000-000000002.jsonl.gz",
      "parts/episodes.000000007-000000008.jsonl.gz",
      "parts/metrics.000000003-000000004.jsonl.gz",
    ]),
  );
  const [one, other] = [folderSource(divided), folderSource(undivided)];
  for (const name of ["metrics.jsonl", "evaluations.jsonl", "timing.jsonl"]) {
    const rows = await readRows(one, name);
    expect(rows.length).toBeGreaterThanOrEqual(5);
    expect(rows).toEqual(await readRows(other, name));
  }
  const episodes = async (source: typeof one): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const each of eachEpisode(source, "step")) found.push(each);
    return found;
  };
  expect(await episodes(one)).toEqual(await episodes(other));
  const facts = await readRunFacts(one, { processes: nodeProcesses });
  expect(facts).toMatchObject({ state: "done", step: 8, reason: null });
  // Any tool reads a part.
  const part = await readFile(join(divided, "parts/metrics.000000003-000000004.jsonl.gz"));
  const lines = gunzipSync(part).toString().trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual([3, 4]);
});

/** Runs until the fault. */
async function killed(directory: string, faults: Faults, options: Partial<TinyRunOptions> = {}): Promise<void> {
  const dying = runIn(directory, { ...options, fileSystem: faultyFileSystem(faults, unsyncedFiles) });
  await expect(dying).rejects.toBeInstanceOf(ProcessKilled);
}

describe("killed at a file-system call, resumed", () => {
  test.each(["before", "torn", "after"] as const)(
    "%s it happened: every file has the same bytes",
    { timeout: 120_000 },
    async (how) => {
      expect(partsIn(whole).length).toBeGreaterThan(8);
      // From the first checkpoint on; each of three manners at other calls, so that all of a checkpoint's are met.
      const first = Math.floor(calls / 3) + ["before", "torn", "after"].indexOf(how);
      for (let killAt = first; killAt < calls; killAt += 11) {
        const directory = await runFolder();
        await killed(directory, { killAt, killed: how });
        await runIn(directory, { resume: true });
        expect({ killAt, files: await filesOf(directory) }).toEqual({ killAt, files: whole });
        await rm(directory, { recursive: true });
      }
    },
  );

  test("where the last checkpoint is damaged, parts behind the one before go back to their file", async () => {
    const directory = await runFolder();
    await runIn(directory);
    await writeFile(join(directory, "checkpoints/step-00000008/state.json"), "{");
    const warned: string[] = [];
    await runIn(directory, { resume: true, observer: { warning: (message) => void warned.push(message) } });
    expect(warned).toContainEqual(expect.stringContaining("trying the one before"));
    expect(await filesOf(directory)).toEqual(whole);
  });

  test("an interrupt between two checkpoints changes no part", async () => {
    const directory = await runFolder();
    const stop = new AbortController();
    const observer = { step: ({ step }: Readonly<Record<string, number>>) => void (step === 5 && stop.abort()) };
    await runIn(directory, { signal: stop.signal, observer });
    await runIn(directory, { resume: true });
    expect(await filesOf(directory)).toEqual(whole);
  });
});

test("a part that was changed is found by the checkpoint that it ends at", async () => {
  const directory = await runFolder();
  const one = { ...settings, steps: 4, checkpoint: { every: 4, keep: 2 } };
  await runIn(directory, { settings: one });
  const part = join(directory, "parts/episodes.000000000-000000004.jsonl.gz");
  const bytes = await readFile(part);
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] as number) ^ 1;
  await writeFile(part, bytes);
  const warned: string[] = [];
  await runIn(directory, {
    settings: one,
    resume: true,
    observer: { warning: (message) => void warned.push(message) },
  });
  expect(warned).toContainEqual(expect.stringMatching(/step-00000004: episodes\.jsonl\.gz.*trying the one before/u));
});

test("rows of replies, which others write beside a run, go on in parts too, and stay when it goes on", async () => {
  const directory = await runFolder();
  const step = ({ step: done }: Readonly<Record<string, number>>): void =>
    appendFileSync(join(directory, "samplers.jsonl"), `{"server":"a","reply":${done},"text":"${"x".repeat(600)}"}\n`);
  await runIn(directory, { settings: { ...settings, steps: 5 }, observer: { step } });
  await runIn(directory, { settings, resume: true, adjustable: { steps: "" }, observer: { step } });
  const rows = await readRows(folderSource(directory), "samplers.jsonl");
  expect(rows.map(({ reply }) => reply)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect((await readdir(join(directory, "parts"))).filter((name) => name.startsWith("samplers"))).toEqual([
    "samplers.000000000-000000002.jsonl.gz",
    "samplers.000000003-000000004.jsonl.gz",
    "samplers.000000005-000000006.jsonl.gz",
    "samplers.000000007-000000008.jsonl.gz",
  ]);
});

test("parts that are too many leave, the oldest first, and what is left is said and goes on", async () => {
  const directory = await runFolder();
  const kept = { ...settings, retention: { partMiB: 0.0002, episodesMiB: 0.002, rowsMiB: 0.0001 } };
  await runIn(directory, { settings: { ...kept, steps: 6 } });
  await runIn(directory, { settings: kept, resume: true, adjustable: { steps: "" } });
  const parts = partsIn(await filesOf(directory)).filter((name) => name.includes("episodes"));
  expect(parts).not.toContain("parts/episodes.000000000-000000002.jsonl.gz");
  // What the checkpoint before the last is compared with stays, whatever its size.
  expect(parts.slice(-2)).toEqual([
    "parts/episodes.000000005-000000006.jsonl.gz",
    "parts/episodes.000000007-000000008.jsonl.gz",
  ]);
  const rows = await readRows(folderSource(directory), "metrics.jsonl");
  expect(rows[0]?.["step"]).toBeGreaterThan(2);
  expect(rows.at(-1)?.["step"]).toBe(8);
  const facts = await readRunFacts(folderSource(directory), { processes: nodeProcesses });
  expect(facts).toMatchObject({ state: "done", step: 8, before: null });
  expect(facts.warnings).toContainEqual(expect.stringMatching(/metrics\.jsonl.*train\.retention/u));
});
