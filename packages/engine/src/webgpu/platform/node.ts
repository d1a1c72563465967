import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Gpu } from "../gpu.ts";
import { findAdapter, missing, openDevice, type OpenGpu } from "../open-gpu.ts";

interface Dawn {
  create(options: readonly string[]): Gpu;
}

/** What `createKernels` takes. */
export const optionNames: readonly string[] = ["modules"];

/** Whether the `webgpu` package is there, without loading it: beside this one, or below the folder `modules`. */
export function hasWebGpu(modules: string | undefined): boolean {
  return pathOfDawn(modules) !== null;
}

/** Dawn, which has Node's WebGPU. @throws LaconicError `device_unavailable` naming the package or adapter that is missing */
export async function openWebGpu(modules: string | undefined): Promise<OpenGpu> {
  const path = pathOfDawn(modules);
  if (path === null) throw missing("the webgpu package is not installed; laconic doctor --enable webgpu installs it");
  const dawn = (await import(pathToFileURL(path).href)) as Dawn;
  const gpu = await entryOf(dawn);
  const adapter = await findAdapter(gpu);
  if (!adapter)
    throw missing(
      "WebGPU finds no adapter: it needs a driver for Vulkan (Linux: libvulkan1 and your GPU's driver), Metal or Direct3D 12",
    );
  return openDevice(gpu, adapter);
}

/**
 * Software adapters write out a store for every number of workgroup memory that a shader clears at its start, which makes
 * compiling take up to seconds. Every shader here writes that memory before it reads it: there it may stay as it is.
 */
async function entryOf(dawn: Dawn): Promise<Gpu> {
  const gpu = dawn.create([]);
  const adapter = await findAdapter(gpu);
  return adapter?.info.isFallbackAdapter ? dawn.create(["enable-dawn-features=disable_workgroup_init"]) : gpu;
}

function pathOfDawn(folder: string | undefined): string | null {
  const places = [import.meta.url, ...(folder === undefined ? [] : [pathToFileURL(join(folder, "package.json"))])];
  for (const place of places)
    try {
      return createRequire(place).resolve("webgpu");
    } catch {
      // In the other place, or in none.
    }
  return null;
}
