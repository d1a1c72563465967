import type { Random } from "@laconic/core";
import { sizeOf } from "../kernels/index.ts";
import type { ModelConfig } from "./model-config.ts";

/** Names of Hugging Face checkpoints. */
export const embeddingName = "model.embed_tokens.weight";
export const finalNormName = "model.norm.weight";

/** Read on demand, so that files are never in memory as a whole. */
export interface TensorSource {
  readonly shape: readonly number[];
  read(): Promise<Float32Array | Float64Array>;
}

/** Scalar head, [1, D]. */
export const scoreName = "score.weight";

/** The embedding if tied. */
export function headName(config: ModelConfig): string {
  return config.tiedHead ? embeddingName : "lm_head.weight";
}

export function layerName(layer: number, part: string): string {
  return `model.layers.${layer}.${part}`;
}

/** Shapes in checkpoint order; [out, in]. */
export function parameterShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize: D, feedForwardSize: F, queryHeads, kvHeads, headDim } = config;
  const [Q, KV] = [queryHeads * headDim, kvHeads * headDim];
  const shapes = new Map<string, readonly number[]>([[embeddingName, [config.vocabularySize, D]]]);
  for (let layer = 0; layer < config.layers; layer++) {
    const set = (part: string, ...shape: number[]): unknown => shapes.set(layerName(layer, part), shape);
    set("input_layernorm.weight", D);
    for (const [name, width] of [
      ["q_proj", Q],
      ["k_proj", KV],
      ["v_proj", KV],
    ] as const) {
      set(`self_attn.${name}.weight`, width, D);
      if (config.qkvBias) set(`self_attn.${name}.bias`, width);
    }
    set("self_attn.o_proj.weight", D, Q);
    if (config.outputBias) set("self_attn.o_proj.bias", D);
    if (config.qkNorm) {
      set("self_attn.q_norm.weight", headDim);
      set("self_attn.k_norm.weight", headDim);
    }
    set("post_attention_layernorm.weight", D);
    set("mlp.gate_proj.weight", F, D);
    set("mlp.up_proj.weight", F, D);
    set("mlp.down_proj.weight", D, F);
  }
  shapes.set(finalNormName, [D]);
  if (config.scalarHead) shapes.set(scoreName, [1, D]);
  else if (!config.tiedHead) shapes.set(headName(config), [config.vocabularySize, D]);
  return shapes;
}

/** Total number of elements. */
export function elementCount(shapes: ReadonlyMap<string, readonly number[]>): number {
  let count = 0;
  for (const shape of shapes.values()) count += sizeOf(shape);
  return count;
}

/**
 * Matrices normal with `initializerRange`, norms 1, biases and a scalar head 0. Each tensor has its own random
 * stream.
 */
export function initialParameters(config: ModelConfig, random: Random): Map<string, TensorSource> {
  const draw = async (name: string, shape: readonly number[]): Promise<Float32Array> => {
    const values = new Float32Array(sizeOf(shape));
    const stream = random.split(name);
    if (shape.length === 2 && name !== scoreName)
      for (let i = 0; i < values.length; i++) values[i] = stream.normal() * config.initializerRange;
    else if (name.endsWith("norm.weight")) values.fill(1);
    return values;
  };
  return new Map(
    Array.from(parameterShapes(config), ([name, shape]) => [name, { shape, read: () => draw(name, shape) }]),
  );
}
