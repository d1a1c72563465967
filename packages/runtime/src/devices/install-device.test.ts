import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { installDevice, runCommand, type Outcome, type RunCommand } from "./install-device.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

let folder: string;
beforeEach(async () => void (folder = await temporaryFolder()));

const done: Outcome = { code: 0, text: "" };

function scripted(answers: Readonly<Record<string, Outcome | (() => Promise<Outcome>)>>): {
  run: RunCommand;
  commands: string[];
} {
  const commands: string[] = [];
  const run: RunCommand = async (program, args) => {
    const line = [program, ...args].join(" ");
    commands.push(line);
    const key = Object.keys(answers).find((text) => line.includes(text));
    const answer = key === undefined ? done : (answers[key] as Outcome | (() => Promise<Outcome>));
    return typeof answer === "function" ? answer() : answer;
  };
  return { run, commands };
}

const options = (run: RunCommand, notes: string[] = []): Parameters<typeof installDevice>[1] => ({
  folder,
  python: "python3",
  run,
  note: (step) => void notes.push(step),
});

test("webgpu is one npm install without scripts, tar overridden", async () => {
  const { run, commands } = scripted({});
  const notes: string[] = [];
  expect(await installDevice("webgpu", options(run, notes))).toBe(join(folder, "webgpu"));
  expect(commands).toEqual([expect.stringContaining("install --ignore-scripts")]);
  expect(notes).toEqual([expect.stringContaining("installing webgpu into")]);
  const manifest: unknown = JSON.parse(await readFile(join(folder, "webgpu", "package.json"), "utf8"));
  expect(manifest).toMatchObject({ overrides: { tar: "^7.5.0" }, dependencies: { webgpu: expect.any(String) } });
});

test.for([
  ["no driver", { code: null, text: "spawn nvidia-smi ENOENT" }, /NVIDIA driver not found/],
  ["an old driver", { code: 0, text: "| CUDA Version: 11.8 |" }, /has CUDA 11.8, TensorFlow needs 12.5/],
] as const)("tensorflow-gpu with %s installs nothing", async ([, answer, message]) => {
  const { run, commands } = scripted({ "nvidia-smi": answer });
  await expect(installDevice("tensorflow-gpu", options(run))).rejects.toThrow(message);
  expect(commands).toEqual(["nvidia-smi"]);
  expect(existsSync(join(folder, "tensorflow-gpu"))).toBe(false);
});

test("a failing step is reported with its last output", async () => {
  const { run } = scripted({ install: { code: 1, text: "npm error code E404\nnpm error not found\n" } });
  await expect(installDevice("webgpu", options(run))).rejects.toThrow(
    /npm install failed with code 1:\n.*E404\n.*not found/s,
  );
});

test("a program that is missing fails its step", async () => {
  const { run } = scripted({ "--ignore-scripts": () => runCommand("/no/such/program", []) });
  await expect(installDevice("webgpu", options(run))).rejects.toThrow(/npm install failed to start/);
});

test("TensorFlow is built against the library of a wheel, of which the needed part stays", async () => {
  const part = join(folder, "tensorflow", "wheel.part", "tensorflow");
  const { run, commands } = scripted({
    find_spec: { code: 1, text: "no tensorflow" },
    "pip download": async () => {
      const downloads = join(folder, "tensorflow", "downloads");
      await mkdir(downloads, { recursive: true });
      await writeFile(join(downloads, "tensorflow_cpu-2.21.0-cp311.whl"), "");
      return done;
    },
    zipfile: async () => {
      for (const name of ["include", "python"]) await mkdir(join(part, name), { recursive: true });
      for (const name of ["libtensorflow_cc.so.2", "libtensorflow_framework.so.2", "other.so"])
        await writeFile(join(part, name), name);
      return done;
    },
  });
  await mkdir(join(folder, "tensorflow", "node_modules", "@tensorflow", "tfjs-node"), { recursive: true });
  await installDevice("tensorflow", options(run));
  const library = join(folder, "tensorflow", "wheel", "tensorflow");
  expect(existsSync(join(library, "python"))).toBe(false);
  expect(existsSync(join(library, "libtensorflow_cc.so.2"))).toBe(true);
  const deps = join(folder, "tensorflow", "node_modules", "@tensorflow", "tfjs-node", "deps");
  expect(await readlink(join(deps, "lib", "libtensorflow_cc.so.2"))).toBe(join(library, "libtensorflow_cc.so.2"));
  expect(commands.at(-1)).toContain("node-pre-gyp install --build-from-source");
  // A second time the wheel is there.
  commands.length = 0;
  await installDevice("tensorflow", options(run));
  expect(commands.filter((line) => line.includes("pip download"))).toEqual([]);
});

test("a program's output and exit code come back", async () => {
  const code = "console.log('out'); console.error('err'); process.exit(3)";
  expect(await runCommand(process.execPath, ["-e", code])).toEqual({
    code: 3,
    text: expect.stringMatching(/out[^]*err|err[^]*out/),
  });
});

test("aborted, it ends the program that runs and what that has started, and removes the folder that it made", async () => {
  const controller = new AbortController();
  // As npm, that starts a program of its own and waits for it.
  const pidFile = join(folder, "pid");
  const child = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`;
  const parent = `require("child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(child)}])`;
  const run: RunCommand = (_, __, input) => runCommand(process.execPath, ["-e", parent], input);
  const installing = installDevice("webgpu", { ...options(run), signal: controller.signal });
  const failed = installing.catch((error: unknown) => error);
  await vi.waitFor(() => expect(existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/^\d+$/u), 20_000);
  controller.abort();
  expect(await failed).toFailWith("aborted");
  const pid = Number(readFileSync(pidFile, "utf8"));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/u), 10_000);
  expect(existsSync(join(folder, "webgpu"))).toBe(false);
});

test("aborted before, it starts nothing; a folder that was there stays", async () => {
  const { run, commands } = scripted({});
  await mkdir(join(folder, "webgpu"));
  await expect(installDevice("webgpu", { ...options(run), signal: AbortSignal.abort() })).rejects.toFailWith("aborted");
  expect([commands, existsSync(join(folder, "webgpu"))]).toEqual([[], true]);
});
