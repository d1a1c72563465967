import type { CachePlan, KeyValueCache, Tensor } from "@laconic/kernels";
import type { Dropout } from "../lora/dropout.ts";
import type { Gradients } from "./gradients.ts";
import { keepWanted, spreadWanted, type LayerRows } from "./layer-rows.ts";
import { attentionShape, parameter, type ModelOnDevice } from "./model-on-device.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward } from "./projection.ts";

/** Queries and keys before their per-head norms, and the reciprocal root mean squares, where the model has them. */
interface HeadNorms {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly invRms: { readonly q: Tensor; readonly k: Tensor };
}

/** Queries, keys and values of one layer, ready for attention. */
interface Heads {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
  readonly norms?: HeadNorms;
}

/** What the backward pass of one attention block needs. */
export interface AttentionPass {
  /** Input of the block, already normalised. */
  readonly input: Tensor;
  readonly heads: Heads;
  /** [N, queryHeads * headDim] */
  readonly mixed: Tensor;
  readonly logSumExp: Tensor;
  /** The wanted rows of `mixed`. */
  readonly kept: Tensor;
}

/** @param input - [N, D], already normalised */
export function attentionForward(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  rows: LayerRows,
): { readonly output: Tensor; readonly pass: AttentionPass } {
  const heads = projectHeads(model, layer, input, rows.positions, rows.dropout);
  const { out: mixed, logSumExp } = model.kernels.attention(
    heads.q,
    heads.k,
    heads.v,
    attentionShape(model.config),
    rows.layout,
  );
  const kept = keepWanted(model.kernels, mixed, rows);
  const output = project(model, partName(layer, "o_proj"), kept, rows.dropout);
  return { output, pass: { input, heads, mixed, logSumExp, kept } };
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
  const { kernels } = model;
  const mixed = kernels.scope(() => {
    const { q, k, v } = kernels.scope(() => {
      const heads = projectHeads(model, layer, input, positions);
      return { q: heads.q, k: heads.k, v: heads.v };
    });
    return kernels.attentionCached(q, k, v, cache, attentionShape(model.config), plan);
  });
  return project(model, partName(layer, "o_proj"), mixed);
}

/** Returns d loss / d input and adds the gradients of what is trained. */
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
  const { q, k, v, norms } = pass.heads;
  const backward = (part: string, d: Tensor, x: Tensor): Tensor =>
    projectBackward(model, partName(layer, part), d, x, gradients, rows.dropout);
  const dMixed = spreadWanted(kernels, backward("o_proj", dOutput, pass.kept), rows);
  const saved = { q, k, v, out: pass.mixed, logSumExp: pass.logSumExp };
  const { dQ, dK, dV } = kernels.attentionBackward(dMixed, saved, attentionShape(config), layout);
  let dRawQ = kernels.rotary(dQ, rotary, positions, config.queryHeads, true);
  let dRawK = kernels.rotary(dK, rotary, positions, config.kvHeads, true);
  if (norms) {
    const normBackward = (part: string, d: Tensor, x: Tensor, invRms: Tensor): Tensor => {
      const dX = gradients.rmsNorm(model, partName(layer, part), perHead(model, d), perHead(model, x), invRms);
      return kernels.reshape(dX, d.shape);
    };
    dRawQ = normBackward("q_norm.weight", dRawQ, norms.q, norms.invRms.q);
    dRawK = normBackward("k_norm.weight", dRawK, norms.k, norms.invRms.k);
  }
  const dInput = backward("q_proj", dRawQ, pass.input);
  kernels.accumulate(dInput, backward("k_proj", dRawK, pass.input));
  kernels.accumulate(dInput, backward("v_proj", dV, pass.input));
  return dInput;
}

function projectHeads(model: ModelOnDevice, layer: number, input: Tensor, positions: Tensor, dropout?: Dropout): Heads {
  const { kernels, config, rotary } = model;
  const part = (name: string): Tensor => project(model, partName(layer, name), input, dropout);
  const [q, k, v] = [part("q_proj"), part("k_proj"), part("v_proj")];
  const rotate = (x: Tensor, heads: number): Tensor => kernels.rotary(x, rotary, positions, heads);
  if (!config.qkNorm) return { q: rotate(q, config.queryHeads), k: rotate(k, config.kvHeads), v };
  const [normQ, normK] = [headNorm(model, layer, "q_norm", q), headNorm(model, layer, "k_norm", k)];
  return {
    q: rotate(normQ.out, config.queryHeads),
    k: rotate(normK.out, config.kvHeads),
    v,
    norms: { q, k, invRms: { q: normQ.invRms, k: normK.invRms } },
  };
}

/** RMS norm of each head of [N, heads * headDim]. */
function headNorm(
  model: ModelOnDevice,
  layer: number,
  part: string,
  x: Tensor,
): { readonly out: Tensor; readonly invRms: Tensor } {
  const { kernels, config } = model;
  const weight = parameter(model, partName(layer, `${part}.weight`));
  const { out, invRms } = kernels.rmsNorm(perHead(model, x), weight, config.rmsNormEpsilon);
  return { out: kernels.reshape(out, x.shape), invRms };
}

/** [N, heads * headDim] as [N * heads, headDim]. */
function perHead(model: ModelOnDevice, x: Tensor): Tensor {
  const { headDim } = model.config;
  const [rows, width] = x.shape as readonly [number, number];
  return model.kernels.reshape(x, [(rows * width) / headDim, headDim]);
}

function partName(layer: number, part: string): string {
  return layerName(layer, `self_attn.${part}`);
}
