import { LaconicError } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import { embeddingName, parameterShapes } from "../transformer/parameters.ts";
import type { TensorSource } from "../transformer/parameters.ts";

/**
 * The parameters of a model out of a checkpoint's tensors. Names and shapes are checked at once, values when they are read.
 * @throws LaconicError `weights_invalid` naming the tensor that is missing, surplus, of another shape or, from `read`, not finite.
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

/** @throws LaconicError `weights_invalid` naming the tensor that is missing, of another shape or, from `read`, not finite. */
export function fitSource(name: string, shape: readonly number[], source: TensorSource | undefined): TensorSource {
  if (!source) throw refused(name, "is missing");
  checkShape(name, shape, source.shape);
  return { shape, read: async () => finite(name, await source.read()) };
}

const headWeight = "lm_head.weight";

/** What some checkpoints store although the model has no need of it: a tied head, one beside a scalar head, rotary frequencies. */
function isRedundant(config: ModelConfig, name: string): boolean {
  const isOtherHead = name === headWeight && (config.tiedHead || config.scalarHead === true);
  return isOtherHead || name.endsWith(".rotary_emb.inv_freq");
}

/** The embedding, once a head that is stored beside it has the same values: another head is another model. */
function tiedTo(head: TensorSource, embedding: TensorSource): TensorSource {
  checkShape(headWeight, embedding.shape, head.shape);
  return {
    shape: embedding.shape,
    async read() {
      const values = await embedding.read();
      const other = await head.read();
      const at = values.findIndex((value, i) => value !== other[i]);
      if (at >= 0)
        throw refused(
          headWeight,
          `differs from the embedding at element ${at} although config.json ties them; set tie_word_embeddings to false`,
        );
      return values;
    },
  };
}

function checkShape(name: string, expected: readonly number[], found: readonly number[]): void {
  if (found.join() !== expected.join())
    throw refused(name, `has shape [${found.join(", ")}], expected [${expected.join(", ")}]`);
}

function finite(name: string, values: Float32Array | Float64Array): Float32Array | Float64Array {
  for (let i = 0; i < values.length; i++)
    if (!Number.isFinite(values[i])) throw refused(name, `holds ${values[i]} at element ${i}`);
  return values;
}

function refused(name: string, reason: string): LaconicError {
  return new LaconicError("weights_invalid", `tensor ${name} ${reason}`, { tensor: name });
}
