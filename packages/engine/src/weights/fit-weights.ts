import { LaconicError } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import { embeddingName, parameterShapes, type TensorSource } from "../transformer/parameters.ts";

/**
 * Checks names and shapes now, values when read.
 * @throws LaconicError `weights_invalid` with the tensor.
 */
export function fitWeights(config: ModelConfig, tensors: ReadonlyMap<string, TensorSource>): Map<string, TensorSource> {
  const shapes = parameterShapes(config);
  const fitted = new Map(
    Array.from(shapes, ([name, shape]) => [name, fitSource(name, shape, tensors.get(name))] as const),
  );
  for (const name of tensors.keys())
    if (!shapes.has(name) && !isRedundant(config, name)) throw refused(name, "does not belong to this model");
  const surplusHead = config.tiedHead && !config.scalarHead ? tensors.get(headWeight) : undefined;
  const embedding = fitted.get(embeddingName);
  if (surplusHead && embedding) fitted.set(embeddingName, tiedTo(surplusHead, embedding));
  return fitted;
}

/** @throws LaconicError `weights_invalid`, also from `read`. */
export function fitSource(name: string, shape: readonly number[], source: TensorSource | undefined): TensorSource {
  if (!source) throw refused(name, "is missing");
  checkShape(name, shape, source.shape);
  return { shape, read: async () => finite(name, await source.read()) };
}

const headWeight = "lm_head.weight";

/** A tied head, a head next to a scalar head, rotary frequencies. */
function isRedundant(config: ModelConfig, name: string): boolean {
  const isOtherHead = name === headWeight && (config.tiedHead || config.scalarHead === true);
  return isOtherHead || name.endsWith(".rotary_emb.inv_freq");
}

function tiedTo(head: TensorSource, embedding: TensorSource): TensorSource {
  checkShape(headWeight, embedding.shape, head.shape);
  return {
    shape: embedding.shape,
    async read() {
      const values = await embedding.read();
      const other = await head.read();
      const index = values.findIndex((value, i) => value !== other[i]);
      if (index >= 0)
        throw refused(
          headWeight,
          `differs from the embedding at element ${index} although config.json ties them; set tie_word_embeddings to false`,
        );
      return values;
    },
  };
}

function checkShape(name: string, expected: readonly number[], actual: readonly number[]): void {
  if (actual.join() !== expected.join())
    throw refused(name, `has shape [${actual.join(", ")}], expected [${expected.join(", ")}]`);
}

function finite(name: string, values: Float32Array | Float64Array): Float32Array | Float64Array {
  for (let i = 0; i < values.length; i++)
    if (!Number.isFinite(values[i])) throw refused(name, `has ${values[i]} at element ${i}`);
  return values;
}

function refused(name: string, reason: string): LaconicError {
  return new LaconicError("weights_invalid", `tensor ${name} ${reason}`, { tensor: name });
}
