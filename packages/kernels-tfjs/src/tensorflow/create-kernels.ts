import util from "node:util";
import { configError, LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/engine/kernels";
import { opsKernelSet } from "../ops/ops-kernels.ts";
import * as tf from "@tensorflow/tfjs-core";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { optionalModule, packages } from "../optional-module.ts";

/**
 * Starts TensorFlow through `@tensorflow/tfjs-node`, or `tfjs-node-gpu` for `gpu: true`. Option `modules` is a folder
 * whose `node_modules` has the package.
 * @throws LaconicError `device_unavailable`, `config_invalid`
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => key !== "modules" && key !== "gpu");
  if (unknown !== undefined)
    throw configError(`tensorflow kernels: expected gpu or modules, got "${unknown}"`, { key: unknown });
  const { modules } = options;
  const device = options["gpu"] === true ? "tensorflow-gpu" : "tensorflow";
  return claiming(device, async (release) => {
    const { version, putRows } = await openTensorFlow(device, typeof modules === "string" ? modules : undefined);
    return opsKernelSet({
      device,
      library: `TensorFlow ${version}`,
      maxElements: 1 << 26,
      putRows,
      dispose: release,
    });
  });
};

/** TensorFlow's float32 kernels on the CPU, or on CUDA for `gpu: true`. */
export function tensorFlowKernels(options: { readonly gpu?: boolean; readonly modules?: string } = {}): KernelSource {
  return {
    device: options.gpu ? "tensorflow-gpu" : "tensorflow",
    module: import.meta.url,
    options: { ...options },
  };
}

let held: { readonly name: string; sets: number } | null = null;

/**
 * Claims the thread's only TensorFlow.js backend; returns a function that releases it.
 * @throws LaconicError `device_unavailable` while another backend is claimed
 */
export function claimBackend(name: string): () => void {
  if (held && held.name !== name)
    throw new LaconicError(
      "device_unavailable",
      `this thread's TensorFlow.js computes on ${held.name}; dispose that kernel set, or start ${name} in a worker`,
      { device: name },
    );
  held ??= { name, sets: 0 };
  held.sets++;
  let released = false;
  return () => {
    if (released || !held) return;
    released = true;
    if (--held.sets === 0) held = null;
  };
}

export async function claiming<T>(name: string, open: (release: () => void) => Promise<T>): Promise<T> {
  const release = claimBackend(name);
  try {
    return await open(release);
  } catch (error) {
    release();
    throw error;
  }
}

interface NodeBackend {
  readonly binding: { readonly TF_Version: string; readonly TF_ATTR_TYPE: number; readonly TF_FLOAT: number };
  executeSingleOutput(name: string, attributes: readonly object[], inputs: readonly TfTensor[]): TfTensor;
}

interface OpenTensorFlow {
  readonly version: string;
  putRows(data: TfTensor, rows: TfTensor, values: TfTensor): TfTensor;
}

async function openTensorFlow(device: keyof typeof packages, modules: string | undefined): Promise<OpenTensorFlow> {
  const name = packages[device];
  const unavailable = (reason: string, cause?: unknown): LaconicError =>
    new LaconicError("device_unavailable", reason, { device }, cause);
  restoreOldUtilities();
  tf.enableProdMode(); // suppresses the warning about a second copy of TensorFlow.js
  // Otherwise TensorFlow reserves the whole GPU memory at start.
  process.env["TF_FORCE_GPU_ALLOW_GROWTH"] ??= "true";
  process.env["TF_CPP_MIN_LOG_LEVEL"] ??= "2";
  let loaded: unknown;
  try {
    loaded = await optionalModule(name, modules);
  } catch (error) {
    throw unavailable(`${name} is installed, but its binding failed to load: ${firstLine(error)}`, error);
  }
  if (!loaded) throw unavailable(`${name} is not installed; laconic doctor --enable ${device} builds it`);
  const started = await tf.setBackend("tensorflow").catch(() => false);
  await tf.ready();
  if (!started) throw unavailable("TensorFlow.js failed to start its tensorflow backend");
  const node = tf.backend() as unknown as NodeBackend;
  const { binding } = node;
  const attributes = [{ name: "T", type: binding.TF_ATTR_TYPE, value: binding.TF_FLOAT }];
  return {
    version: binding.TF_Version,
    // Writes in place; TensorFlow.js' scatter would copy the whole cache per token.
    putRows: (data, rows, values) => node.executeSingleOutput("InplaceUpdate", attributes, [data, rows, values]),
  };
}

/** tfjs-node 4.22 calls two functions that Node 23 removed. */
function restoreOldUtilities(): void {
  const old = util as unknown as Record<string, (value: unknown) => boolean>;
  old["isNullOrUndefined"] ??= (value) => value === null || value === undefined;
  old["isArray"] ??= Array.isArray;
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}
