import { existsSync } from "node:fs";
import { rm, writeFile, readdir, symlink } from "node:fs/promises";
import { join, delimiter, dirname } from "node:path";
import { spawn } from "node:child_process";
import { LaconicError } from "@laconic/core";
import { expectNotAborted } from "@laconic/core/async";
import { makeFolders, npmCommand, moveFile, endProcessTree, systemOf } from "@laconic/core/platform";

/** Device that is installed on request. */
export type OptionalDevice = "tensorflow" | "tensorflow-gpu" | "webgpu";

/** Options of installing a device. */
export interface InstallOptions {
  /** Parent folder; each device gets a subfolder. */
  readonly folder: string;
  /** Python with pip, for TensorFlow; an installed TensorFlow is used. */
  readonly python: string;
  readonly run: RunCommand;
  /** Stops the program, and removes a new folder. */
  readonly signal?: AbortSignal;
  note(step: string): void;
}

function expectDone(device: OptionalDevice, step: string, { code, text }: Awaited<ReturnType<RunCommand>>): void {
  if (code === 0) return;
  const reply = text.trim().split("\n").slice(-6).join("\n");
  throw unavailable(device, `${step} failed${code === null ? " to start" : ` with code ${code}`}:\n${reply}`);
}

function unavailable(device: OptionalDevice, reason: string): LaconicError {
  return new LaconicError("device_unavailable", `${device}: ${reason}`, { device });
}

const version = "4.22.0";

const packages: Readonly<Record<OptionalDevice, Readonly<Record<string, string>>>> = {
  tensorflow: { "@tensorflow/tfjs-node": version },
  "tensorflow-gpu": { "@tensorflow/tfjs-node-gpu": version },
  webgpu: { webgpu: "0.6.2" },
};

/**
 * Installs a device's packages without running their scripts. Builds TensorFlow's binding against a Python wheel. A
 * second call repairs an incomplete installation.
 * @returns the folder for `modules`
 * @throws LaconicError `device_unavailable` with the failed step and its output, `aborted`
 */
export async function installDevice(device: OptionalDevice, options: InstallOptions): Promise<string> {
  const { signal } = options;
  const what = `installing ${device}`;
  const run: RunCommand = async (program, args, input) => {
    expectNotAborted(signal, what);
    const outcome = await options.run(program, args, { ...input, ...(signal && { signal }) });
    expectNotAborted(signal, what);
    return outcome;
  };
  const folder = join(options.folder, device);
  if (device === "tensorflow-gpu") await expectCuda(run);
  expectNotAborted(signal, what);
  const isNew = !existsSync(folder);
  await makeFolders(folder);
  try {
    await installInto(folder, device, { ...options, run });
  } catch (error) {
    if (isNew && signal?.aborted) await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

async function installInto(folder: string, device: OptionalDevice, options: InstallOptions): Promise<void> {
  const { run, note } = options;
  const manifest = {
    name: `laconic-${device}`,
    private: true,
    dependencies: packages[device],
    // tfjs-node requests a vulnerable tar; nothing here runs it.
    overrides: { tar: "^7.5.0" },
  };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  note(`installing ${Object.keys(packages[device]).join(", ")} into ${folder}`);
  const [npm, ...first] = npmCommand();
  const args = [...first, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expectDone(device, "npm install", await run(npm, args, { folder }));
  if (device !== "webgpu") await buildTensorFlow(device, folder, options);
}

const minCuda = 12.5;

async function expectCuda(run: RunCommand): Promise<void> {
  const { code, text } = await run("nvidia-smi", []);
  const match = /CUDA Version: (\d+\.\d+)/.exec(text)?.[1];
  if (code !== 0 || match === undefined)
    throw unavailable("tensorflow-gpu", "NVIDIA driver not found: nvidia-smi does not answer");
  if (Number(match) < minCuda)
    throw unavailable("tensorflow-gpu", `the driver has CUDA ${match}, TensorFlow needs ${minCuda} or later`);
}

/**
 * Builds tfjs-node's binding against a Python wheel: the package's own library is from 2022 and supports no current
 * GPU. Needs make and a C++ compiler.
 */
async function buildTensorFlow(
  device: Exclude<OptionalDevice, "webgpu">,
  folder: string,
  options: Omit<InstallOptions, "folder">,
): Promise<void> {
  const { run, note } = options;
  const home = join(folder, "node_modules", "@tensorflow", device === "tensorflow-gpu" ? "tfjs-node-gpu" : "tfjs-node");
  const library = await tensorFlowFolder(device, folder, options);
  note(`linking against TensorFlow in ${library}`);
  await link(library, join(home, "deps"));
  note("building the binding");
  const bin = join(folder, "node_modules", ".bin");
  const prefix = dirname(dirname(process.execPath));
  const environment = {
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    // Uses this Node's headers, to avoid a download.
    ...(existsSync(join(prefix, "include", "node", "node_api.h")) && { npm_config_nodedir: prefix }),
  };
  const build = await run(process.execPath, [join(bin, "node-pre-gyp"), "install", "--build-from-source"], {
    folder: home,
    environment,
  });
  expectDone(device, "building the binding (make, g++)", build);
}

async function tensorFlowFolder(
  device: Exclude<OptionalDevice, "webgpu">,
  folder: string,
  { python, run, note }: Omit<InstallOptions, "folder">,
): Promise<string> {
  const code = "import importlib.util as u; print(u.find_spec('tensorflow').submodule_search_locations[0])";
  const installed = await run(python, ["-c", code]);
  const lent = installed.text.trim().split("\n").at(-1) ?? "";
  if (installed.code === 0 && existsSync(join(lent, "include"))) return lent;
  const unpacked = join(folder, "wheel");
  const library = join(unpacked, "tensorflow");
  if (existsSync(join(library, "include"))) return library;
  const wheel = device === "tensorflow-gpu" ? "tensorflow" : "tensorflow-cpu";
  note(`pip download of ${wheel} (about 300 MB)`);
  const downloads = join(folder, "downloads");
  await rm(downloads, { recursive: true, force: true });
  const pip = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet", "--dest", downloads, wheel];
  expectDone(device, "pip download", await run(python, pip));
  const file = (await readdir(downloads)).find((name) => name.endsWith(".whl"));
  if (file === undefined) throw unavailable(device, `pip found no wheel of ${wheel}`);
  await rm(unpacked, { recursive: true, force: true });
  const part = `${unpacked}.part`;
  await rm(part, { recursive: true, force: true });
  expectDone(device, "unpacking the wheel", await run(python, ["-m", "zipfile", "-e", join(downloads, file), part]));
  await rm(downloads, { recursive: true, force: true });
  await keepLibrary(join(part, "tensorflow"));
  await moveFile(part, unpacked);
  return library;
}

const libraries = ["libtensorflow_cc.so.2", "libtensorflow_framework.so.2"] as const;

/** Keeps only the binding's files, a third of the wheel. */
async function keepLibrary(folder: string): Promise<void> {
  const needed = new Set<string>(["include", "THIRD_PARTY_NOTICES.txt", ...libraries]);
  for (const name of await readdir(folder))
    if (!needed.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

async function link(library: string, deps: string): Promise<void> {
  await rm(deps, { recursive: true, force: true });
  await makeFolders(join(deps, "lib"));
  await symlink(join(library, "include"), join(deps, "include"));
  for (const name of libraries) await symlink(join(library, name), join(deps, "lib", name));
  await symlink("libtensorflow_cc.so.2", join(deps, "lib", "libtensorflow.so"));
  await symlink("libtensorflow_framework.so.2", join(deps, "lib", "libtensorflow_framework.so"));
  // The library looks for CUDA in its own folder.
  const nvidia = join(dirname(library), "nvidia");
  if (existsSync(nvidia)) await symlink(nvidia, join(deps, "nvidia"));
}

/** Result of an installation step. */
export interface Outcome {
  /** Exit code; null if it could not start. */
  readonly code: number | null;
  readonly text: string;
}

/** Runs a command and returns its output. */
export type RunCommand = (
  program: string,
  args: readonly string[],
  options?: {
    readonly folder?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
) => Promise<Outcome>;

/** Runs a program without a shell. The code is null if it cannot start. */
export const runCommand: RunCommand = (program, args, { folder, environment = {}, signal } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, [...args], {
      // An abort also ends the build's children.
      detached: signal !== undefined && systemOf(process.platform).hasGroups,
      ...(folder !== undefined && { cwd: folder }),
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const kill = (): void => {
      if (child.pid !== undefined) endProcessTree(child.pid);
    };
    if (signal?.aborted) kill();
    signal?.addEventListener("abort", kill, { once: true });
    let text = "";
    const add = (piece: Buffer): void => void (text += piece.toString());
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", (error) => resolve({ code: null, text: error.message }));
    child.on("close", (code) => {
      signal?.removeEventListener("abort", kill);
      resolve({ code: code ?? 1, text });
    });
  });
