import { LaconicError } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import type { StoredTensor } from "./safetensors.ts";

/**
 * The values of a model's parameters out of a checkpoint's tensors.
 * @throws LaconicError `weights_invalid` naming the tensor that is missing, surplus, of another shape or not finite.
 */
export function fitWeights(
  config: ModelConfig,
  tensors: ReadonlyMap<string, StoredTensor>,
): Map<string, Float32Array | Float64Array> {
  const values = new Map<string, Float32Array | Float64Array>();
  const shapes = parameterShapes(config);
  for (const [name, shape] of shapes) values.set(name, fitTensor(name, shape, tensors.get(name)));
  for (const name of tensors.keys())
    if (!shapes.has(name) && !isRedundant(config, name)) throw refused(name, "does not belong to this model");
  return values;
}

/** @throws LaconicError `weights_invalid` naming the tensor that is missing, of another shape or not finite. */
export function fitTensor(
  name: string,
  shape: readonly number[],
  tensor: StoredTensor | undefined,
): Float32Array | Float64Array {
  if (!tensor) throw refused(name, "is missing");
  if (tensor.shape.join() !== shape.join())
    throw refused(name, `has shape [${tensor.shape.join(", ")}], expected [${shape.join(", ")}]`);
  for (let i = 0; i < tensor.values.length; i++)
    if (!Number.isFinite(tensor.values[i])) throw refused(name, `holds ${tensor.values[i]} at element ${i}`);
  return tensor.values;
}

/** What some checkpoints store although it follows from the rest: a tied head, rotary frequencies. */
function isRedundant(config: ModelConfig, name: string): boolean {
  return (config.tiedHead && name === "lm_head.weight") || name.endsWith(".rotary_emb.inv_freq");
}

function refused(name: string, reason: string): LaconicError {
  return new LaconicError("weights_invalid", `tensor ${name} ${reason}`, { tensor: name });
}
