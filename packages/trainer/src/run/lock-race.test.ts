import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const contender = `
import { nodeFileSystem, nodeProcesses } from "${new URL("../platform/node.ts", import.meta.url).href}";
import { lockRun } from "${new URL("lock.ts", import.meta.url).href}";
const slow = { ...nodeFileSystem, exists: late(nodeFileSystem.exists), read: late(nodeFileSystem.read), rename: late(nodeFileSystem.rename) };
function late(call) {
  return async (...args) => {
    await new Promise((done) => setTimeout(done, process.pid % 4));
    return call(...args);
  };
}
process.stdout.write("ready\\n");
for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) {
  if (line === "end") break;
  try {
    await lockRun(slow, line, nodeProcesses);
    process.stdout.write("got\\n");
  } catch (error) {
    process.stdout.write(error.code + "\\n");
  }
}
process.exit(0);
`;

interface Contender {
  say(line: string): void;
  hear(): Promise<string>;
  end(): Promise<void>;
}

function start(file: string): Contender {
  const child = spawn(process.execPath, ["--import", "tsx", file], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((done) => child.on("exit", () => done()));
  let text = "";
  let tell = (): void => undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    tell();
  });
  return {
    say: (line) => void child.stdin.write(`${line}\n`),
    async hear() {
      while (!text.includes("\n")) await new Promise<void>((done) => (tell = done));
      const [line = "", ...rest] = text.split("\n");
      text = rest.join("\n");
      return line;
    },
    async end() {
      child.stdin.write("end\n");
      await ended;
    },
  };
}

test("a stale, torn or missing lock goes to exactly one of the processes that race for it", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "contender.mts");
  await writeFile(file, contender);
  const contenders = Array.from({ length: 6 }, () => start(file));
  onTestFinished(async () => void (await Promise.all(contenders.map((item) => item.end()))));
  expect(await Promise.all(contenders.map((item) => item.hear()))).toEqual(contenders.map(() => "ready"));
  const stale = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }); // beyond the largest number of a process
  for (let race = 0; race < 30; race++) {
    const directory = join(folder, `run-${race}`);
    await mkdir(directory);
    if (race % 3 !== 2) await writeFile(join(directory, "LOCK"), race % 3 === 0 ? stale : `{"pid":`);
    for (const item of contenders) item.say(directory);
    const heard = await Promise.all(contenders.map((item) => item.hear()));
    expect([race, ...heard.toSorted()]).toEqual([race, "got", ...contenders.slice(1).map(() => "run_locked")]);
  }
});
