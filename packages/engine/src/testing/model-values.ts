import { randomFromSeed, type SampleRequest } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { modelOf, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import {
  allocateTogether,
  heldShapes,
  heldTensors,
  joinValues,
  readPart,
  storedParts,
  writeValues,
} from "../transformer/weight-layout.ts";

export function uploadModel(
  kernels: Kernels,
  config: ModelConfig,
  values: ReadonlyMap<string, Float32Array | Float64Array>,
): ModelOnDevice {
  const shapes = parameterShapes(config);
  const parameters = allocateTogether(kernels, heldShapes(shapes));
  for (const [name, { parts }] of heldTensors(shapes)) {
    const joined = joinValues(parts.map((part) => values.get(part.name) as Float32Array));
    writeValues(kernels, parameters.get(name) as Tensor, joined);
  }
  return modelOf(kernels, config, parameters);
}

export async function readStored(
  kernels: Kernels,
  tensors: ReadonlyMap<string, Tensor>,
  shapes: ReadonlyMap<string, readonly number[]>,
): Promise<Map<string, Float32Array | Float64Array>> {
  const values = new Map<string, Float32Array | Float64Array>();
  for (const { name, shape, held, start } of storedParts(shapes)) {
    const tensor = tensors.get(held);
    if (tensor) values.set(name, await readPart(kernels, tensor, start, shape));
  }
  return values;
}

/** Request of at most six tokens, which token 0 ends. */
export function request(seed: number, change: Partial<SampleRequest> = {}): SampleRequest {
  return {
    promptTokens: [1, 2, 3],
    sampling: { temperature: 1, maxTokens: 6 },
    stopTokens: [0],
    random: randomFromSeed(seed).state(),
    ...change,
  };
}
