/// <reference path="../tfjs-backend-webgpu.d.ts" />
import { enableProdMode } from "@tensorflow/tfjs-core";
import { adapterName, missing, type Gpu, type OpenGpu } from "../open-gpu.ts";

/** What `createKernels` takes. */
export const optionNames: readonly string[] = ["shaders", "dtype"];

/** The browser's own WebGPU, with TensorFlow.js's backend for it. @throws LaconicError `device_unavailable` */
export async function openWebGpu(): Promise<OpenGpu> {
  const { gpu } = (globalThis as unknown as { readonly navigator: { readonly gpu?: Gpu } }).navigator;
  if (!gpu)
    throw missing(
      "this page has no WebGPU: the browser lacks it, has it switched off, or the page is not served securely",
    );
  enableProdMode();
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) throw missing("WebGPU finds no adapter: the browser uses no GPU on this machine");
  await import("@tensorflow/tfjs-backend-webgpu");
  return { adapter: adapterName(adapter), close: () => undefined };
}
