import util from "node:util";
import { LaconicError } from "@laconic/core";
import { backend, enableProdMode, ready, setBackend, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { optionalModule } from "../optional-module.ts";

/** What of tfjs-node's backend is used here; its types are not part of the package's interface. */
interface NodeBackend {
  readonly binding: { readonly TF_Version: string; readonly TF_ATTR_TYPE: number; readonly TF_FLOAT: number };
  executeSingleOutput(name: string, attributes: readonly object[], inputs: readonly TfTensor[]): TfTensor;
}

/** A TensorFlow that was started in this thread. */
export interface OpenTensorFlow {
  readonly version: string;
  putRows(data: TfTensor, rows: TfTensor, values: TfTensor): TfTensor;
}

/** @throws LaconicError `device_unavailable` naming what is missing */
export async function openTensorFlow(gpu: boolean, modules: string | undefined): Promise<OpenTensorFlow> {
  const name = gpu ? "@tensorflow/tfjs-node-gpu" : "@tensorflow/tfjs-node";
  const device = gpu ? "tensorflow-gpu" : "tensorflow";
  const unavailable = (reason: string, cause?: unknown): LaconicError =>
    new LaconicError("device_unavailable", reason, { device }, cause);
  restoreOldUtilities();
  enableProdMode(); // a second copy of TensorFlow.js would say so on the console
  // Without it TensorFlow takes the whole of the GPU's memory when it starts.
  process.env["TF_FORCE_GPU_ALLOW_GROWTH"] ??= "true";
  process.env["TF_CPP_MIN_LOG_LEVEL"] ??= "2";
  let loaded: unknown;
  try {
    loaded = await optionalModule(name, modules);
  } catch (error) {
    throw unavailable(`${name} is installed, but its binding does not load: ${firstLine(error)}`, error);
  }
  if (!loaded) throw unavailable(`${name} is not installed; laconic doctor --enable ${device} builds it`);
  const started = await setBackend("tensorflow").catch(() => false);
  await ready();
  if (!started) throw unavailable("TensorFlow.js could not start its tensorflow backend");
  const node = backend() as unknown as NodeBackend;
  const { binding } = node;
  const attributes = [{ name: "T", type: binding.TF_ATTR_TYPE, value: binding.TF_FLOAT }];
  return {
    version: binding.TF_Version,
    // The result shares the memory of `data`; the scatter of TensorFlow.js would copy the whole cache for every token.
    putRows: (data, rows, values) => node.executeSingleOutput("InplaceUpdate", attributes, [data, rows, values]),
  };
}

/** tfjs-node 4.22 calls two functions that Node 23 took away. */
function restoreOldUtilities(): void {
  const old = util as unknown as Record<string, (value: unknown) => boolean>;
  old["isNullOrUndefined"] ??= (value) => value === null || value === undefined;
  old["isArray"] ??= Array.isArray;
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}
