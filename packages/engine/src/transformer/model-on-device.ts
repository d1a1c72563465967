import { LaconicError } from "@laconic/core";
import { sizeOf, type AttentionShape, type Kernels, type RotaryTables, type Tensor } from "../kernels/index.ts";
import type { ModelConfig } from "./model-config.ts";
import { parameterShapes, scoreName } from "./parameters.ts";
import type { AdapterOnDevice } from "./adapter.ts";
import { rotaryTables } from "./rotary-tables.ts";
import { allocateTogether, heldShapes, heldTensors, joinValues, writeValues } from "./weight-layout.ts";

/** A model's weights and tables on one device. */
export interface ModelOnDevice {
  readonly kernels: Kernels;
  readonly config: ModelConfig;
  /** As {@link heldShapes} names them; matrices are [out, in]. */
  readonly parameters: ReadonlyMap<string, Tensor>;
  /** What is trained instead of the parameters; null trains the parameters themselves. */
  readonly adapter: AdapterOnDevice | null;
  /** Nothing is trained but the scalar head, whose gradient needs no layer's activations. */
  readonly trainsHeadAlone?: true;
  readonly rotary: RotaryTables;
  /** Tokens of the tokenizer, when the vocabulary is padded: sampling draws no id from here on. */
  readonly tokenCount?: number;
  /** In a decode pass: its weights meet few rows, again and again. */
  readonly steady?: true;
}

/** What the optimizer changes, by name. */
export function trainable(model: ModelOnDevice): ReadonlyMap<string, Tensor> {
  if (model.trainsHeadAlone) return new Map([[scoreName, parameter(model, scoreName)]]);
  return model.adapter?.matrices ?? model.parameters;
}

/** @throws LaconicError `weights_invalid` naming the tensor that is missing, surplus or of another size. */
export function uploadModel(
  kernels: Kernels,
  config: ModelConfig,
  values: ReadonlyMap<string, Float32Array | Float64Array>,
): ModelOnDevice {
  const shapes = parameterShapes(config);
  for (const name of values.keys())
    if (!shapes.has(name))
      throw new LaconicError("weights_invalid", `tensor ${name} does not belong to this model`, { name });
  for (const [name, shape] of shapes) {
    const [size, found] = [sizeOf(shape), values.get(name)?.length];
    if (found !== size)
      throw new LaconicError("weights_invalid", `tensor ${name} must hold ${size} values, found ${found ?? "none"}`, {
        name,
      });
  }
  const parameters = allocateTogether(kernels, heldShapes(shapes));
  for (const [name, { parts }] of heldTensors(shapes))
    writeValues(
      kernels,
      parameters.get(name) as Tensor,
      joinValues(parts.map((part) => values.get(part.name) as Float32Array)),
    );
  return modelOf(kernels, config, parameters);
}

/** A model over weights that are on the device already. */
export function modelOf(kernels: Kernels, config: ModelConfig, parameters: ReadonlyMap<string, Tensor>): ModelOnDevice {
  return { kernels, config, parameters, adapter: null, rotary: rotaryTables(kernels, config) };
}

export function freeModel(model: ModelOnDevice): void {
  model.kernels.free(...model.parameters.values(), model.rotary.cos, model.rotary.sin);
}

/** @throws LaconicError `engine_failed` when the model has no such parameter: a defect, not bad input. */
export function parameter(model: ModelOnDevice, name: string): Tensor {
  const found = model.parameters.get(name);
  if (!found) throw new LaconicError("engine_failed", `the model has no parameter ${name}`, { name });
  return found;
}

export function attentionShape(config: ModelConfig): AttentionShape {
  const { queryHeads, kvHeads, headDim } = config;
  return { queryHeads, kvHeads, headDim, scale: 1 / Math.sqrt(headDim) };
}
