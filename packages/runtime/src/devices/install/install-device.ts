import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectNotAborted } from "@laconic/core/async";
import { makeFolders, npmCommand } from "@laconic/core/platform";
import { buildTensorFlow } from "./build-tensorflow.ts";
import { expectDone, unavailable, type InstallOptions, type OptionalDevice } from "./install-options.ts";
import type { RunCommand } from "./run-command.ts";

const version = "4.22.0";

const packages: Readonly<Record<OptionalDevice, Readonly<Record<string, string>>>> = {
  tensorflow: { "@tensorflow/tfjs-node": version },
  "tensorflow-gpu": { "@tensorflow/tfjs-node-gpu": version },
  webgpu: { webgpu: "0.6.2" },
};

/**
 * Installs what a device needs, with no script of any package run; TensorFlow's binding is then built against the library
 * of a Python wheel. Doing it again repairs an installation that broke off.
 * @returns the folder to pass as `modules`
 * @throws LaconicError `device_unavailable` with the step that failed and what it said, `aborted`
 */
export async function installDevice(device: OptionalDevice, options: InstallOptions): Promise<string> {
  const { signal } = options;
  const what = `installing ${device}`;
  const run: RunCommand = async (program, args, given) => {
    expectNotAborted(signal, what);
    const outcome = await options.run(program, args, { ...given, ...(signal && { signal }) });
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
    // tfjs-node asks for a tar with known holes; nothing here runs it.
    overrides: { tar: "^7.5.0" },
  };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  note(`npm install of ${Object.keys(packages[device]).join(", ")} into ${folder}`);
  const [npm, ...first] = npmCommand();
  const args = [...first, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expectDone(device, "npm install", await run(npm, args, { folder }));
  if (device !== "webgpu") await buildTensorFlow(device, folder, options);
}

/** CUDA's version that TensorFlow's wheels are built for. */
const minCuda = 12.5;

/** @throws LaconicError `device_unavailable` without an NVIDIA driver that is new enough */
async function expectCuda(run: RunCommand): Promise<void> {
  const { code, text } = await run("nvidia-smi", []);
  const found = /CUDA Version: (\d+\.\d+)/.exec(text)?.[1];
  if (code !== 0 || found === undefined)
    throw unavailable("tensorflow-gpu", "there is no NVIDIA driver here: nvidia-smi does not answer");
  if (Number(found) < minCuda)
    throw unavailable("tensorflow-gpu", `the driver brings CUDA ${found}, TensorFlow needs ${minCuda} or later`);
}
