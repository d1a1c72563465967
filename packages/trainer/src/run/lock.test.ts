import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFileSystem } from "#platform";
import { refusal } from "../../../../test/refusal.ts";
import { runFolder } from "../../test/run-folder.ts";
import type { ProcessTable } from "../reading/run-source.ts";
import { openRun } from "./run-directory.ts";

function open(directory: string, options: Partial<Parameters<typeof openRun>[0]> = {}): ReturnType<typeof openRun> {
  return openRun({ directory, config: { a: 1 }, environment: {}, keepCheckpoints: 2, now: () => 0, ...options });
}

const processOf = (pid: number, ...living: readonly number[]): ProcessTable => ({
  pid,
  host: hostname(),
  isAlive: (other) => living.includes(other),
});

test("a directory in use is run_locked and names the process; a dead process's lock is taken with a warning", async () => {
  const directory = await runFolder();
  const first: ProcessTable = processOf(11);
  await open(directory, { processes: first }); // never closed
  const second: ProcessTable = processOf(12, 11);
  const error = await refusal(open(directory, { processes: second, resume: true }));
  expect([error.code, error.detail["pid"]]).toEqual(["run_locked", 11]);
  const warnings: string[] = [];
  const run = await open(directory, {
    processes: processOf(13, 12),
    resume: true,
    observer: { warning: (message) => void warnings.push(message) },
  });
  expect(warnings).toEqual(["took over the lock of process 11, which is gone"]);
  await run.close();
});

test("respects another machine's lock, and replaces an unreadable one", async () => {
  const directory = await runFolder();
  await (await open(directory)).close();
  const lock = join(directory, "LOCK");
  await writeFile(lock, JSON.stringify({ pid: 5, host: `not-${hostname()}` }));
  const error = await refusal(open(directory, { processes: processOf(6), resume: true }));
  expect(error.code).toBe("run_locked");
  expect(error.message).toContain(`remove ${lock}`);
  await writeFile(lock, `{"pid":`);
  const warnings: string[] = [];
  const observer = { warning: (message: string) => void warnings.push(message) };
  await (await open(directory, { resume: true, observer })).close();
  expect(warnings).toEqual(["replaced an unreadable lock"]);
});

test("a process id of another machine is valid; a former id of this process is not", async () => {
  const directory = await runFolder();
  await (await open(directory)).close();
  const lock = join(directory, "LOCK");
  const processes: ProcessTable = processOf(7, 7);
  await writeFile(lock, JSON.stringify({ pid: 7, host: `not-${hostname()}` }));
  expect((await refusal(open(directory, { processes, resume: true }))).code).toBe("run_locked");
  await writeFile(lock, JSON.stringify({ pid: 7, host: hostname() }));
  const run = await open(directory, { processes, resume: true });
  expect((await refusal(open(directory, { processes, resume: true }))).code).toBe("run_locked"); // twice in one process
  await run.close();
  await (await open(directory, { processes, resume: true })).close();
});

test("rejects the slower of two processes, without a leftover claim", async () => {
  const directory = await runFolder();
  const lock = join(directory, "LOCK");
  const claim = `${lock}.${hostname().replaceAll(/[^\w-]/gu, "-")}.77.0`;
  let lists = 0;
  const fileSystem = {
    ...nodeFileSystem,
    list: async (path: string) => {
      if (path === directory && (lists += 1) === 1) await writeFile(claim, ""); // the faster one claims, then takes
      if (lists === 3) await rm(claim);
      if (lists === 3) await writeFile(lock, JSON.stringify({ pid: 77, host: hostname() }));
      return nodeFileSystem.list(path);
    },
  };
  const error = await refusal(open(directory, { fileSystem, processes: processOf(78, 77) }));
  expect([error.code, error.detail["pid"]]).toEqual(["run_locked", 77]);
  expect((await readdir(directory)).filter((name) => name.startsWith("LOCK."))).toEqual([]);
});

test("the claim of a dead process does not block and is removed", async () => {
  const directory = await runFolder();
  await mkdir(directory);
  await writeFile(join(directory, `LOCK.${hostname().replaceAll(/[^\w-]/gu, "-")}.5.1`), "");
  const run = await open(directory, { processes: processOf(6) });
  expect((await readdir(directory)).filter((name) => name.startsWith("LOCK"))).toEqual(["LOCK"]);
  await run.close();
});

test("a late close keeps the successor's lock", async () => {
  const directory = await runFolder();
  const first = await open(directory, { processes: processOf(11) });
  const second = await open(directory, { resume: true, processes: processOf(12) });
  await first.close();
  expect(existsSync(join(directory, "LOCK"))).toBe(true);
  await second.close();
  expect(existsSync(join(directory, "LOCK"))).toBe(false);
});
