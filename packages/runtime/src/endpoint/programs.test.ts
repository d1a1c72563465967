import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isProcessAlive } from "@laconic/core/platform";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { keepRunning, openPrograms, type StartedProgram } from "./programs.ts";

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 10_000, interval: 20 }).toBe(true);
}

describe("programs that are kept running", () => {
  /** Each start ends as told; those behind the list live until they are stopped. */
  function scripted(ends: readonly (string | null)[]) {
    const waits: number[] = [];
    const replies: string[] = [];
    let [starts, living, gaveUp] = [0, 0, 0];
    const start = async (): Promise<StartedProgram> => {
      const end = ends[starts];
      starts += 1;
      if (end !== undefined) return { ended: Promise.resolve(end), stop: async () => undefined };
      living += 1;
      let over = (): void => undefined;
      const ended = new Promise<null>((resolve) => (over = () => resolve(null)));
      return {
        ended,
        stop: async () => {
          living -= 1;
          over();
        },
      };
    };
    const retained = keepRunning({
      count: 1,
      start,
      warn: (message) => replies.push(message),
      allGaveUp: () => void (gaveUp += 1),
      wait: async (milliseconds) => void waits.push(milliseconds),
      now: () => 0,
    });
    return { kept: retained, waits, said: replies, counts: () => ({ starts, living, gaveUp }) };
  }

  test("waits double with failures in a row and restart after a success", async () => {
    const { kept, waits, counts } = scripted(["a", "b", "c", null, "d"]);
    await until(() => counts().living === 1);
    expect(waits).toEqual([1000, 2000, 4000, 1000, 1000]);
    await kept.stop();
    expect(counts()).toEqual({ starts: 6, living: 0, gaveUp: 0 });
  });

  test("a program that always fails is given up, with one report", async () => {
    const { kept, waits, said, counts } = scripted(Array.from({ length: 100 }, () => "no team.mjs"));
    await until(() => counts().gaveUp === 1);
    await kept.stop();
    expect(counts()).toEqual({ starts: 8, living: 0, gaveUp: 1 });
    expect(waits.at(-1)).toBe(60_000);
    expect(said.at(-1)).toBe("program 1 failed 8 times in a row and is not restarted: no team.mjs");
  });
});

test("processes get the endpoint from their environment, restart, and end with their children", async () => {
  const folder = await temporaryFolder();
  // The first life of each dies; the second starts a process of its own and hangs, deaf to SIGTERM.
  const script = join(folder, "team.mjs");
  await writeFile(
    script,
    `import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
const file = (name) => process.argv[2] + "/" + name + process.env.LACONIC_PROGRAM;
if (!existsSync(file("first"))) { writeFileSync(file("first"), ""); console.error("out of luck"); process.exit(3); }
process.on("SIGTERM", () => undefined);
const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { stdio: "ignore" });
writeFileSync(file("second"), JSON.stringify([process.env.OPENAI_BASE_URL, process.env.OPENAI_API_KEY, process.pid, child.pid]));
setInterval(() => undefined, 1000);
`,
  );
  const replies: string[] = [];
  const end = openPrograms(
    { count: 2, command: [process.execPath, script, folder] },
    {
      url: "http://127.0.0.1:1",
      apiKey: "key",
      say: (line) => replies.push(line),
      warn: (line) => replies.push(line),
      allGaveUp: () => expect.fail(),
    },
  );
  await until(async () => (await readdir(folder)).filter((name) => name.startsWith("second")).length === 2);
  const told = await Promise.all(
    [0, 1].map(async (i) => JSON.parse(await readFile(join(folder, `second${i}`), "utf8")) as (string | number)[]),
  );
  const pids = told.flatMap((group) => group.slice(2) as number[]);
  expect(told.map((group) => group.slice(0, 2))).toEqual([
    ["http://127.0.0.1:1/v1", "key"],
    ["http://127.0.0.1:1/v1", "key"],
  ]);
  expect(pids.map((pid) => isProcessAlive(pid))).toEqual([true, true, true, true]);
  expect(replies).toContain("program 1 ended: exit code 3: out of luck; again in 1 s");
  await end();
  await until(() => pids.every((pid) => !isProcessAlive(pid)));
});

test("a command that does not exist is said", async () => {
  const replies: string[] = [];
  const end = openPrograms(
    { count: 1, command: ["/no/such/program"] },
    {
      url: "http://127.0.0.1:1",
      apiKey: null,
      say: () => undefined,
      warn: (line) => replies.push(line),
      allGaveUp: () => undefined,
    },
  );
  await until(() => replies.length > 0);
  await end();
  expect(replies[0]).toMatch(/^program 1 ended: \/no\/such\/program cannot be started: .*ENOENT/u);
});
