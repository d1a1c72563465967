import { spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { recordingTerminal } from "../../apps/trainer/test/recording-terminal.ts";
import { main } from "../../apps/trainer/src/main.ts";
import { root } from "../workspace.ts";

/** What a command says of anything that takes more than a second, as loading does on a busy machine. */
const progress = /^.* \.\.\.\n/gmu;

test("a closed reader such as head ends a command silently", async () => {
  const child = spawn(process.execPath, [join(root, "apps/trainer/assets/laconic.mjs"), "data", "ls"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stdout.destroy();
  expect(await once(child, "exit")).toEqual([141, null]);
  expect(printed.replaceAll(progress, "")).toBe("");
});

test.runIf(process.platform === "linux")("a full disk is an error for a result and ignored for notes", async () => {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const play = async (stdio: StdioOptions): Promise<{ code: unknown; out: string; err: string }> => {
    const child = spawn(process.execPath, [join(root, "apps/trainer/assets/laconic.mjs"), "data", "ls"], { stdio });
    onTestFinished(() => void child.kill("SIGKILL"));
    let [out, err] = ["", ""];
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const [code] = (await once(child, "close")) as unknown[];
    return { code, out, err: err.replaceAll(progress, "") };
  };
  const { code, err } = await play(["ignore", full, "pipe"]);
  expect(code).toBe(1);
  expect(err).toMatch(/^laconic: the result cannot be written to standard output: ENOSPC.*\n$/u);
  const heard = await play(["ignore", "pipe", full]);
  expect(heard.code).toBe(0);
  expect(heard.out).toContain("gsm8k");
});

test("a run with a removed folder ends with one line", async () => {
  const folder = await temporaryFolder();
  const terminal = recordingTerminal();
  const note = (line: string): void => {
    terminal.err.push(line);
    if (line.startsWith("validation at step 0")) rmSync(folder, { recursive: true });
  };
  const words = ["train", "preset:relay-hint", "--device", "wasm", "--run", join(folder, "run")];
  const small = [
    "train.steps=3",
    "train.evaluation.problems=20",
    "train.problemsPerStep=2",
    "train.checkpoint.every=1",
  ];
  const code = await main([...words, ...small], { terminal: { ...terminal, note } });
  expect(code).toBe(1);
  expect(terminal.err.at(-1)).toMatch(/^laconic: /);
  expect(terminal.err.join("\n")).not.toMatch(/^\s+at |unexpected error/m);
  expect(existsSync(join(folder, "run", "checkpoints", "step-000003"))).toBe(false);
});
