import type { Random } from "@laconic/core";
import { sizeOf } from "../kernels/index.ts";
import type { ModelConfig } from "./model-config.ts";

export const embeddingName = "model.embed_tokens.weight";
export const finalNormName = "model.norm.weight";

/** Read on demand, so that files are never in memory as a whole. */
export interface TensorSource {
  readonly shape: readonly number[];
  read(): Promise<Float32Array | Float64Array>;
}

/** Scalar head, [1, D]. */
export const scoreName = "score.weight";

export function headName(config: ModelConfig): string {
  return config.tiedHead ? embeddingName : "lm_head.weight";
}

export function layerName(layer: number, part: string): string {
  return `model.layers.${layer}.${part}`;
}

/** Shapes in checkpoint order; [out, in]. */
export function parameterShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize: D, feedForwardSize: F, queryHeads, kvHeads, headDim } = config;
  const { norms, qkNorm, fused = [], ungated } = config.family;
  const [Q, KV] = [queryHeads * headDim, kvHeads * headDim];
  const shapes = new Map<string, readonly number[]>([[embeddingName, [config.vocabularySize, D]]]);
  for (let layer = 0; layer < config.layers; layer++) {
    const set = (part: string, ...shape: number[]): unknown => shapes.set(layerName(layer, part), shape);
    const norm = (name: string | undefined): unknown => name && set(`${name}.weight`, D);
    const project = (part: string, widths: Readonly<Record<string, number>>, inner: number, bias: boolean): void => {
      for (const [name, width] of Object.entries(widths)) {
        set(`${part}.${name}.weight`, width, inner);
        if (bias) set(`${part}.${name}.bias`, width);
      }
    };
    norm(norms.beforeAttention);
    const qkv = fused.includes("qkv_proj") ? { qkv_proj: Q + 2 * KV } : { q_proj: Q, k_proj: KV, v_proj: KV };
    project("self_attn", qkv, D, config.qkvBias);
    project("self_attn", { o_proj: D }, Q, config.outputBias);
    if (qkNorm) {
      set(`self_attn.${qkNorm.query}.weight`, qkNorm.over === "head" ? headDim : Q);
      set(`self_attn.${qkNorm.key}.weight`, qkNorm.over === "head" ? headDim : KV);
    }
    norm(norms.afterAttention);
    norm(norms.beforeFeedForward);
    const gateAndUp = fused.includes("gate_up_proj") ? { gate_up_proj: 2 * F } : { gate_proj: F, up_proj: F };
    project("mlp", ungated ? { up_proj: F } : gateAndUp, D, config.feedForwardBias);
    project("mlp", { down_proj: D }, F, config.feedForwardBias);
    norm(norms.afterFeedForward);
  }
  shapes.set(finalNormName, [D]);
  if (config.scalarHead) shapes.set(scoreName, [1, D]);
  else if (!config.tiedHead) shapes.set(headName(config), [config.vocabularySize, D]);
  return shapes;
}

export function isNorm(name: string, shape: readonly number[]): boolean {
  return shape.length === 1 && name.endsWith(".weight");
}

/** Total number of elements. */
export function elementCount(shapes: ReadonlyMap<string, readonly number[]>): number {
  let count = 0;
  for (const shape of shapes.values()) count += sizeOf(shape);
  return count;
}

/**
 * Matrices normal with `initializerRange`, norms the identity, biases and a scalar head 0. Each tensor has its own
 * random stream.
 */
export function initialParameters(config: ModelConfig, random: Random): Map<string, TensorSource> {
  const draw = async (name: string, shape: readonly number[]): Promise<Float32Array> => {
    const values = new Float32Array(sizeOf(shape));
    const stream = random.split(name);
    if (shape.length === 2 && name !== scoreName)
      for (let i = 0; i < values.length; i++) values[i] = stream.normal() * config.initializerRange;
    else if (isNorm(name, shape) && !config.family.normOffset) values.fill(1);
    return values;
  };
  return new Map(
    Array.from(parameterShapes(config), ([name, shape]) => [name, { shape, read: () => draw(name, shape) }]),
  );
}
