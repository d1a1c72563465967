import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));

function childrenOf(pid: number | undefined): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const fields = lines.map((line) => line.trim().split(/\s+/u));
  return fields
    .filter(([, parent, ...args]) => Number(parent) === pid && args.some((arg) => arg.endsWith("wasi/child.mjs")))
    .map(([own]) => Number(own));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Only Linux shares processors out by session. */
function sessionOf(pid: number): number {
  if (process.platform !== "linux") return pid;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}

test.skipIf(process.platform === "win32")(
  "an interpreter has its own session on Linux and ends with its killed caller",
  async () => {
    const script = fileURLToPath(new URL("loop-without-end.ts", import.meta.url));
    const caller = spawn(process.execPath, ["--import", "tsx", script], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void caller.kill("SIGKILL"));
    await once(caller.stdout, "data");
    const children = childrenOf(caller.pid);
    onTestFinished(() => {
      for (const pid of children.filter(isAlive)) process.kill(pid, "SIGKILL");
    });
    expect(children).toHaveLength(1);
    const [child = 0] = children;
    expect(sessionOf(child)).toBe(child);
    caller.kill("SIGKILL");
    await expect.poll(() => isAlive(child), { timeout: 60_000 }).toBe(false);
  },
);
