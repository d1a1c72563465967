import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import {
  endProcessTree,
  isProcessAlive,
  isSameSecret,
  makeFolderOnce,
  moveFile,
  npmCommand,
  pythonOf,
  systemOf,
} from "./index.ts";

const failing = (code: string, times: number): { move: () => Promise<void>; calls: () => number } => {
  let calls = 0;
  const move = async (): Promise<void> => {
    if (++calls <= times) throw Object.assign(new Error(code), { code });
  };
  return { move, calls: () => calls };
};

test.each(["EPERM", "EACCES", "EBUSY"])("Windows tries a rename again that a scanner stopped with %s", async (code) => {
  const { move, calls } = failing(code, 2);
  await moveFile("a", "b", systemOf("win32"), move);
  expect(calls()).toBe(3);
});

test.each([
  ["win32", "ENOENT"],
  ["win32", "EXDEV"],
  ["linux", "EPERM"],
  ["linux", "EBUSY"],
  ["darwin", "EACCES"],
])("a failing case fails at once: on %s %s", async (name, code) => {
  const { move, calls } = failing(code, 2);
  await expect(moveFile("a", "b", systemOf(name), move)).rejects.toThrow(code);
  expect(calls()).toBe(1);
});

test("the first of several processes that make one folder wins, and no draft remains", async () => {
  const into = await temporaryFolder();
  const make = (text: string): Promise<void> =>
    makeFolderOnce(join(into, "made"), (draft) => writeFile(join(draft, "text"), text));
  await Promise.all([make("a"), make("a"), make("a")]);
  expect(await readdir(into)).toEqual(["made"]);
  await expect(makeFolderOnce(join(into, "other"), () => Promise.reject(new Error("no ink")))).rejects.toThrow(
    "no ink",
  );
  expect(await readdir(into)).toEqual(["made"]);
});

test("an environment's Python is found where each system has it", async () => {
  const prefix = await temporaryFolder();
  expect(pythonOf(prefix, systemOf("linux"))).toBeNull();
  for (const [below, file] of [
    ["bin", "python3"],
    ["Scripts", "python.exe"],
  ] as const) {
    await mkdir(join(prefix, below), { recursive: true });
    await writeFile(join(prefix, below, file), "");
  }
  expect(pythonOf(prefix, systemOf("darwin"))).toBe(join(prefix, "bin/python3"));
  expect(pythonOf(prefix, systemOf("win32"))).toBe(join(prefix, "Scripts/python.exe"));
});

test("npm is started as a program: on Windows by Node, since Node spawns no .cmd", () => {
  expect(npmCommand(systemOf("linux"))).toEqual(["npm"]);
  expect(npmCommand(systemOf("win32"), { npm_execpath: "C:\\npm\\bin\\npm-cli.js" })[1]).toBe(
    "C:\\npm\\bin\\npm-cli.js",
  );
  const [program, script] = npmCommand(systemOf("win32"), { npm_execpath: "C:\\pnpm\\pnpm.cjs" });
  expect(program).toBe(process.execPath);
  expect(script).toMatch(/npm-cli\.js$/u);
});

test.skipIf(!systemOf(process.platform).hasGroups)("a tree of processes ends whole", async () => {
  // What it has started holds its output open: the output closes when both are gone.
  const inner = `spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "inherit" })`;
  const program = `console.log(require("child_process").${inner}.pid); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ["-e", program], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  expect([child.pid as number, Number(line.toString())].map(isProcessAlive)).toEqual([true, true]);
  endProcessTree(child.pid as number);
  await once(child, "close");
  endProcessTree(child.pid as number); // again: it has ended
});

test.each([
  ["key", "key", true],
  ["key", "kez", false],
  ["ke", "key", false],
  ["", "key", false],
  ["ключ", "ключ", true],
])("%j given for the secret %j: %s", (input, wanted, same) => {
  expect(isSameSecret(input, wanted)).toBe(same);
});
