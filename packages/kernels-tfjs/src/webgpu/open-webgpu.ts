import { LaconicError } from "@laconic/core";
import { enableProdMode, findBackendFactory, removeBackend } from "@tensorflow/tfjs-core";
import { optionalModule } from "../optional-module.ts";

/** What of the `webgpu` package is used here. */
interface Dawn {
  create(options: readonly string[]): { requestAdapter(): Promise<Adapter | null> };
  readonly globals: object;
}

interface Adapter {
  readonly info: Readonly<Record<"vendor" | "architecture" | "description", string>>;
}

/** A GPU that this process holds. */
export interface OpenGpu {
  readonly adapter: string;
  /** Lets the process end: it lives as long as the GPU is held. */
  close(): void;
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
  const gpu = dawn.create([]);
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
  const { vendor, architecture, description } = adapter.info;
  return { adapter: [vendor, architecture, description].filter((text) => text !== "").join(" "), close };
}

function missing(reason: string): LaconicError {
  return new LaconicError("device_unavailable", reason, { device: "webgpu" });
}
