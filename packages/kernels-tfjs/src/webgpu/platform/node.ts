import { enableProdMode, findBackendFactory, removeBackend } from "@tensorflow/tfjs-core";
import { optionalModule } from "../../optional-module.ts";
import { adapterName, missing, type Gpu, type OpenGpu } from "../open-gpu.ts";

/** What of the `webgpu` package is used here. */
interface Dawn {
  create(options: readonly string[]): Gpu;
  readonly globals: object;
}

/** What `createKernels` takes. */
export const optionNames: readonly string[] = ["modules", "shaders", "dtype"];

/**
 * Software adapters write out a store for every number of workgroup memory that a shader clears at its start, which makes
 * compiling take up to seconds. Every shader here writes that memory before it reads it: there it may stay as it is.
 */
async function openDawn(dawn: Dawn): Promise<Gpu> {
  const gpu = dawn.create([]);
  const adapter = await gpu.requestAdapter().catch(() => null);
  return adapter?.info.isFallbackAdapter ? dawn.create(["enable-dawn-features=disable_workgroup_init"]) : gpu;
}

/**
 * Makes WebGPU known to this thread as a browser would, and registers TensorFlow.js's backend for it.
 * @throws LaconicError `device_unavailable` naming the package or adapter that is missing
 */
export async function openWebGpu(modules: string | undefined): Promise<OpenGpu> {
  const dawn = (await optionalModule("webgpu", modules)) as Dawn | null;
  if (!dawn) throw missing("the webgpu package is not installed; laconic doctor --enable webgpu installs it");
  enableProdMode(); // a second copy of TensorFlow.js would say so on the console
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.assign(globalThis, dawn.globals);
  const gpu = await openDawn(dawn);
  // Node 21 and later have a navigator of their own that cannot be assigned.
  Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true, writable: true });
  const close = (): void => {
    if (findBackendFactory("webgpu")) removeBackend("webgpu");
    if (before) Object.defineProperty(globalThis, "navigator", before);
    else Reflect.deleteProperty(globalThis, "navigator");
  };
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) {
    close();
    throw missing(
      "WebGPU finds no adapter: it needs a driver for Vulkan (Linux: libvulkan1 and your GPU's driver), Metal or Direct3D 12",
    );
  }
  // It reads the navigator when it is loaded.
  if (!(await optionalModule("@tensorflow/tfjs-backend-webgpu", modules))) {
    close();
    throw missing("TensorFlow.js's backend for WebGPU is not installed; laconic doctor --enable webgpu installs it");
  }
  return { adapter: adapterName(adapter), close };
}
