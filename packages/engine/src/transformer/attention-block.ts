import type { AdapterDropout } from "../lora/adapter-on-device.ts";
import type { CachePlan, KeyValueCache, Tensor } from "../kernels/index.ts";
import type { Gradients } from "./gradients.ts";
import { keepWanted, spreadWanted, type LayerRows } from "./layer-rows.ts";
import { attentionShape, parameter, type ModelOnDevice } from "./model-on-device.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward } from "./projection.ts";

/** Queries, keys and values of one layer before and after normalisation and rotation. */
interface Projected {
  /** As projected, [N, heads * headDim]. */
  readonly raw: { readonly q: Tensor; readonly k: Tensor; readonly v: Tensor };
  /** Reciprocal root mean squares of the per-head norms, where the model has them. */
  readonly invRms?: { readonly q: Tensor; readonly k: Tensor };
  /** Ready for attention. */
  readonly q: Tensor;
  readonly k: Tensor;
}

/** What the backward pass of one attention block needs. */
export interface AttentionPass {
  /** Input of the block, already normalised. */
  readonly input: Tensor;
  readonly projected: Projected;
  readonly mixed: Tensor;
  readonly logSumExp: Tensor;
  /** The wanted rows of `mixed`. */
  readonly kept: Tensor;
  readonly output: Tensor;
}

export function attentionForward(model: ModelOnDevice, layer: number, input: Tensor, rows: LayerRows): AttentionPass {
  const projected = projectHeads(model, layer, input, rows.positions, rows.dropout);
  const shape = attentionShape(model.config);
  const { out, logSumExp } = model.kernels.attention(projected.q, projected.k, projected.raw.v, shape, rows.layout);
  const kept = keepWanted(model.kernels, out, rows);
  return { input, projected, mixed: out, logSumExp, kept, output: projectOut(model, layer, kept, rows.dropout) };
}

/** The same block against a key-value cache, for sampling. */
export function attentionFromCache(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  positions: Tensor,
  cache: KeyValueCache,
  plan: CachePlan,
): Tensor {
  const { q, k, raw } = projectHeads(model, layer, input, positions);
  const mixed = model.kernels.attentionCached(q, k, raw.v, cache, attentionShape(model.config), plan);
  return projectOut(model, layer, mixed);
}

/** Returns d loss / d input and adds the parameters' gradients. */
export function attentionBackward(
  model: ModelOnDevice,
  layer: number,
  dOutput: Tensor,
  pass: AttentionPass,
  rows: LayerRows,
  gradients: Gradients,
): Tensor {
  const { kernels, config, rotary } = model;
  const { positions, layout } = rows;
  const name = (part: string): string => layerName(layer, `self_attn.${part}`);
  const back = (part: string, dOut: Tensor, x: Tensor): Tensor =>
    projectBackward(model, name(part), dOut, x, gradients, rows.dropout);
  const dMixed = spreadWanted(kernels, back("o_proj", dOutput, pass.kept), rows);
  const { q, k, raw, invRms } = pass.projected;
  const saved = { q, k, v: raw.v, out: pass.mixed, logSumExp: pass.logSumExp };
  const { dQ, dK, dV } = kernels.attentionBackward(dMixed, saved, attentionShape(config), layout);
  let dRawQ = kernels.rotary(dQ, rotary, positions, config.queryHeads, true);
  let dRawK = kernels.rotary(dK, rotary, positions, config.kvHeads, true);
  if (invRms) {
    dRawQ = perHead(model, dRawQ, (d) =>
      gradients.rmsNorm(model, name("q_norm.weight"), d, heads(model, raw.q), invRms.q),
    );
    dRawK = perHead(model, dRawK, (d) =>
      gradients.rmsNorm(model, name("k_norm.weight"), d, heads(model, raw.k), invRms.k),
    );
  }
  const dInputs = [
    back("q_proj", dRawQ, pass.input),
    back("k_proj", dRawK, pass.input),
    back("v_proj", dV, pass.input),
  ] as const;
  return kernels.add(kernels.add(dInputs[0], dInputs[1]), dInputs[2]);
}

function projectHeads(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  positions: Tensor,
  dropout?: AdapterDropout,
): Projected {
  const { kernels, config, rotary } = model;
  const linear = (part: string): Tensor => project(model, layerName(layer, `self_attn.${part}`), input, dropout);
  const raw = { q: linear("q_proj"), k: linear("k_proj"), v: linear("v_proj") };
  let [q, k] = [raw.q, raw.k];
  let invRms: Projected["invRms"];
  if (config.qkNorm) {
    const norm = (x: Tensor, part: string): { out: Tensor; invRms: Tensor } =>
      kernels.rmsNorm(
        heads(model, x),
        parameter(model, layerName(layer, `self_attn.${part}.weight`)),
        config.rmsNormEpsilon,
      );
    const [normQ, normK] = [norm(q, "q_norm"), norm(k, "k_norm")];
    q = kernels.reshape(normQ.out, q.shape);
    k = kernels.reshape(normK.out, k.shape);
    invRms = { q: normQ.invRms, k: normK.invRms };
  }
  return {
    raw,
    ...(invRms && { invRms }),
    q: kernels.rotary(q, rotary, positions, config.queryHeads),
    k: kernels.rotary(k, rotary, positions, config.kvHeads),
  };
}

function projectOut(model: ModelOnDevice, layer: number, mixed: Tensor, dropout?: AdapterDropout): Tensor {
  return project(model, layerName(layer, "self_attn.o_proj"), mixed, dropout);
}

/** [N, heads * headDim] as [N * heads, headDim]. */
function heads(model: ModelOnDevice, x: Tensor): Tensor {
  const { headDim } = model.config;
  const [rows, width] = x.shape as readonly [number, number];
  return model.kernels.reshape(x, [(rows * width) / headDim, headDim]);
}

/** Applies a per-head backward step and returns to the packed shape. */
function perHead(model: ModelOnDevice, d: Tensor, backward: (d: Tensor) => Tensor): Tensor {
  return model.kernels.reshape(backward(heads(model, d)), d.shape);
}
