import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { defaultLimits } from "./create-sandbox.ts";
import { gradeProgram } from "./grading/grade-program.ts";
import { selfTest } from "./self-test.ts";
import { wasiSandbox } from "./wasi/wasi-sandbox.ts";

const sandbox = wasiSandbox({ limits: { ...defaultLimits, seconds: 60 }, concurrency: 2 });
afterAll(() => sandbox.close());

function signal(name: NodeJS.Signals): number {
  const lines = execFileSync("ps", ["--ppid", String(process.pid), "-o", "pid=,args="], { encoding: "utf8" });
  const own = lines.split("\n").filter((line) => line.includes("wasi/child.mjs"));
  for (const line of own) process.kill(Number(line.trim().split(" ")[0]), name);
  return own.length;
}

function strike(everyMs: number, times = Infinity): () => number {
  let struck = 0;
  const timer = setInterval(() => {
    if (struck < times) struck += signal("SIGKILL");
  }, everyMs);
  return () => {
    clearInterval(timer);
    return struck;
  };
}

const work = "s = 0\nfor i in range(2_000_000): s += i\nprint(s)"; // longer than a strike takes

describe.skipIf(process.platform === "win32")("failures of an interpreter by the machine give no verdict", () => {
  test("an interpreter killed from outside, as for memory, runs again", async () => {
    await sandbox.run({ code: "" });
    const stop = strike(100, 1);
    const { status, stdout } = await sandbox.run({ code: work, seconds: 60 });
    expect(stop()).toBeGreaterThan(0);
    expect([status, stdout]).toEqual(["ok", "1999999000000\n"]);
  });
  test("a program killed each time is undecided, and so is its grade", async () => {
    await sandbox.run({ code: "" });
    const stop = strike(50);
    const { status, stderr } = await sandbox.run({ code: "while True: pass" });
    const tests = { prompt: "", entryPoint: "f", test: "def check(f):\n    assert f() == 1\n" };
    const verdict = await gradeProgram("def f():\n    while True: pass\n", tests, sandbox);
    expect(stop()).toBeGreaterThan(3);
    expect([status, stderr]).toEqual(["undecided", expect.stringContaining("SIGKILL")]);
    expect(verdict).toMatchObject({ correct: false, decided: false });
    expect((await sandbox.run({ code: "print(1)" })).stdout).toBe("1\n");
  });
  test("a self-test that could not run is no pass", async () => {
    const own = wasiSandbox({ limits: defaultLimits, concurrency: 1 });
    const dying = { ...own, run: async () => ({ ...(await own.run({ code: "" })), status: "undecided" as const }) };
    await expect(selfTest(dying)).rejects.toFailWith("engine_failed");
    await own.close();
  });
});

// Only Linux tells a thread's time apart from the wall's.
describe.skipIf(process.platform !== "linux")("a program's own time", () => {
  test("an interpreter that is stopped for longer than its limit has used none of it", async () => {
    await sandbox.run({ code: "" });
    expect(signal("SIGSTOP")).toBeGreaterThan(0);
    const running = sandbox.run({ code: "print(sum(range(1000)))", seconds: 1 });
    await new Promise((resolve) => setTimeout(resolve, 4000));
    signal("SIGCONT");
    const { status, seconds } = await running;
    expect(status).toBe("ok");
    expect(seconds).toBeGreaterThan(3);
  });
  test("sleeping is a program's own doing", async () => {
    const { status, seconds } = await sandbox.run({ code: "import time\ntime.sleep(100)", seconds: 1 });
    expect([status, seconds < 3]).toEqual(["time", true]);
    const naps = "import time\nfor _ in range(100): time.sleep(0.1)";
    expect((await sandbox.run({ code: naps, seconds: 0.5 })).status).toBe("time");
  });
});
