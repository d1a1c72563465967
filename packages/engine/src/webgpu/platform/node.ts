import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Gpu } from "../gpu.ts";
import { findAdapter, missing, openDevice, type OpenGpu } from "../open-gpu.ts";

interface Dawn {
  create(options: readonly string[]): Gpu;
}

export const optionNames: readonly string[] = ["modules"];

/** Does not load Dawn. */
export function hasWebGpu(modules: string | undefined): boolean {
  return pathOfDawn(modules) !== null;
}

/** @throws LaconicError `device_unavailable` */
export async function openWebGpu(modules: string | undefined): Promise<OpenGpu> {
  const path = pathOfDawn(modules);
  if (path === null) throw missing("the webgpu package is not installed; laconic doctor --enable webgpu installs it");
  const dawn = (await import(pathToFileURL(path).href)) as Dawn;
  const gpu = await entryOf(dawn);
  const adapter = await findAdapter(gpu);
  if (!adapter)
    throw missing(
      "WebGPU found no adapter; install a driver for Vulkan (Linux: libvulkan1 and your GPU's driver), Metal or Direct3D 12",
    );
  return openDevice(gpu, adapter);
}

/** Software adapters take seconds to compile the clearing of workgroup memory, which every shader writes first. */
async function entryOf(dawn: Dawn): Promise<Gpu> {
  const gpu = dawn.create([]);
  const adapter = await findAdapter(gpu);
  return adapter?.info.isFallbackAdapter ? dawn.create(["enable-dawn-features=disable_workgroup_init"]) : gpu;
}

function pathOfDawn(folder: string | undefined): string | null {
  const places = [import.meta.url, ...(folder === undefined ? [] : [pathToFileURL(join(folder, "package.json"))])];
  for (const location of places)
    try {
      return createRequire(location).resolve("webgpu");
    } catch {
      // Try the next location.
    }
  return null;
}
