import { existsSync } from "node:fs";
import { readdir, rm, symlink } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { delimiter, dirname, join } from "node:path";
import { expectDone, unavailable, type InstallOptions, type OptionalDevice } from "./install-options.ts";

/**
 * Builds tfjs-node's binding against the TensorFlow of a Python wheel: the library that the package would download is of
 * 2022 and knows no GPU of today. Needs make and a C++ compiler.
 * @param folder - whose `node_modules` hold the package
 * @throws LaconicError `device_unavailable` with the step that failed
 */
export async function buildTensorFlow(
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
    // This Node's own headers, where it brings them: no download.
    ...(existsSync(join(prefix, "include", "node", "node_api.h")) && { npm_config_nodedir: prefix }),
  };
  const build = await run(process.execPath, [join(bin, "node-pre-gyp"), "install", "--build-from-source"], {
    folder: home,
    environment,
  });
  expectDone(device, "building the binding (make, g++)", build);
}

/** The folder of a TensorFlow that Python has, or of a wheel that is downloaded and unpacked once. */
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
  if (file === undefined) throw unavailable(device, `pip brought no wheel of ${wheel}`);
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

/** Of an unpacked wheel, what the binding needs: a third of it. */
async function keepLibrary(folder: string): Promise<void> {
  const needed = new Set<string>(["include", "THIRD_PARTY_NOTICES.txt", ...libraries]);
  for (const name of await readdir(folder))
    if (!needed.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** What the package's build looks for, as links. */
async function link(library: string, deps: string): Promise<void> {
  await rm(deps, { recursive: true, force: true });
  await makeFolders(join(deps, "lib"));
  await symlink(join(library, "include"), join(deps, "include"));
  for (const name of libraries) await symlink(join(library, name), join(deps, "lib", name));
  await symlink("libtensorflow_cc.so.2", join(deps, "lib", "libtensorflow.so"));
  await symlink("libtensorflow_framework.so.2", join(deps, "lib", "libtensorflow_framework.so"));
  // Where the library looks for CUDA, beside itself.
  const nvidia = join(dirname(library), "nvidia");
  if (existsSync(nvidia)) await symlink(nvidia, join(deps, "nvidia"));
}
