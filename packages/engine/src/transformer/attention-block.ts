import type { CachePlan, Kernels, KeyValueCache, SequenceLayout, Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";
import type { Gradients } from "./gradients.ts";
import type { ModelConfig } from "./model-config.ts";
import { attentionShape, parameter, type ModelOnDevice } from "./model-on-device.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward, projectOnto, projectTogether, projectTogetherBackward } from "./projection.ts";
import type { MergedProjection } from "./projection.ts";

/** Rows of a layer, and wanted outputs. */
export interface LayerRows {
  readonly positions: Tensor;
  readonly layout: SequenceLayout;
  /** Rows [M] among `of` that are read later. Default: all. */
  readonly selected?: { readonly rows: Tensor; readonly of: number };
  readonly dropout?: Dropout;
}

export function gatherSelectedRows(kernels: Kernels, x: Tensor, { selected }: LayerRows): Tensor {
  return selected ? kernels.gatherRows(x, selected.rows) : x;
}

/** Backward of `gatherSelectedRows`: unread rows have gradient 0. */
export function scatterSelectedRows(kernels: Kernels, dKept: Tensor, { selected }: LayerRows): Tensor {
  return selected ? kernels.scatterAddRows(dKept, selected.rows, selected.of) : dKept;
}

/** Queries and keys before per-head norms, and reciprocal RMS. */
interface HeadNorms {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly invRms: { readonly q: Tensor; readonly k: Tensor };
}

interface Heads {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
  readonly norms?: HeadNorms;
}

export interface AttentionPass {
  /** Normalized block input. */
  readonly input: Tensor;
  readonly heads: Heads;
  /** [N, queryHeads * headDim] */
  readonly mixed: Tensor;
  readonly logSumExp: Tensor;
  readonly selected: Tensor;
}

/** @param input - [N, D], normalized */
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
  const selected = gatherSelectedRows(model.kernels, mixed, rows);
  const output = project(model, partName(layer, "o_proj"), selected, rows.dropout);
  return { output, pass: { input, heads, mixed, logSumExp, selected } };
}

/** Cached attention; adds to the residual stream. */
export function attentionFromCache(
  model: ModelOnDevice,
  layer: number,
  residual: Tensor,
  input: Tensor,
  positions: Tensor,
  cache: KeyValueCache,
  plan: CachePlan,
): void {
  const { kernels } = model;
  const mixed = kernels.scope(() => {
    const { q, k, v } = kernels.scope(() => {
      const heads = projectHeads(model, layer, input, positions);
      return { q: heads.q, k: heads.k, v: heads.v };
    });
    return kernels.attentionCached(q, k, v, cache, attentionShape(model.config), plan);
  });
  projectOnto(model, partName(layer, "o_proj"), residual, mixed);
}

/** Returns d loss / d input and adds trained gradients. */
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
  const output = partName(layer, "o_proj");
  const dKept = projectBackward(model, output, dOutput, pass.selected, gradients, rows.dropout);
  const dMixed = scatterSelectedRows(kernels, dKept, rows);
  const saved = { q, k, v, out: pass.mixed, logSumExp: pass.logSumExp };
  const { dQ, dK, dV } = kernels.attentionBackward(dMixed, saved, attentionShape(config), layout);
  const { queryHeads, kvHeads } = config;
  const queriesAndKeys = kernels.joinColumns([dQ, dK]);
  const dRotated = kernels.rotary(queriesAndKeys, rotary, positions, queryHeads + kvHeads, true);
  // Adapters and head norms need separate tensors.
  if (!norms && !model.adapter) {
    const joined = kernels.joinColumns([dRotated, dV]);
    return projectTogetherBackward(model, headProjection(config, layer), [joined], pass.input, gradients, rows.dropout);
  }
  let [dRawQ, dRawK] = splitHeads(model, dRotated);
  if (norms) {
    const normBackward = (part: string, d: Tensor, x: Tensor, invRms: Tensor): Tensor => {
      const heads = { dOut: perHead(model, d), x: perHead(model, x), invRms };
      const dX = gradients.rmsNorm(model, partName(layer, part), heads);
      return kernels.reshape(dX, d.shape);
    };
    dRawQ = normBackward("q_norm.weight", dRawQ, norms.q, norms.invRms.q);
    dRawK = normBackward("k_norm.weight", dRawK, norms.k, norms.invRms.k);
  }
  const dHeads = [dRawQ, dRawK, dV];
  return projectTogetherBackward(model, headProjection(config, layer), dHeads, pass.input, gradients, rows.dropout);
}

function projectHeads(model: ModelOnDevice, layer: number, input: Tensor, positions: Tensor, dropout?: Dropout): Heads {
  const { config } = model;
  const [q, k, v] = projectTogether(model, headProjection(config, layer), input, dropout) as [Tensor, Tensor, Tensor];
  if (!config.qkNorm) return { ...rotateHeads(model, q, k, positions), v };
  const [normQ, normK] = [headNorm(model, layer, "q_norm", q), headNorm(model, layer, "k_norm", k)];
  return {
    ...rotateHeads(model, normQ.out, normK.out, positions),
    v,
    norms: { q, k, invRms: { q: normQ.invRms, k: normK.invRms } },
  };
}

function rotateHeads(
  model: ModelOnDevice,
  rawQ: Tensor,
  rawK: Tensor,
  positions: Tensor,
): { readonly q: Tensor; readonly k: Tensor } {
  const { kernels, config, rotary } = model;
  const both = kernels.joinColumns([rawQ, rawK]);
  const [q, k] = splitHeads(model, kernels.rotary(both, rotary, positions, config.queryHeads + config.kvHeads));
  return { q, k };
}

function splitHeads({ kernels, config }: ModelOnDevice, both: Tensor): [q: Tensor, k: Tensor] {
  const { q, k } = headWidths(config);
  return [kernels.columns(both, 0, q), kernels.columns(both, q, k)];
}

function headWidths({ queryHeads, kvHeads, headDim }: ModelConfig): { readonly q: number; readonly k: number } {
  return { q: queryHeads * headDim, k: kvHeads * headDim };
}

function headProjection(config: ModelConfig, layer: number): MergedProjection {
  const { q, k } = headWidths(config);
  return {
    name: partName(layer, "qkv_proj"),
    parts: [
      { name: partName(layer, "q_proj"), width: q },
      { name: partName(layer, "k_proj"), width: k },
      { name: partName(layer, "v_proj"), width: k },
    ],
  };
}

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

function perHead(model: ModelOnDevice, x: Tensor): Tensor {
  const { headDim } = model.config;
  const [rows, width] = x.shape as readonly [number, number];
  return model.kernels.reshape(x, [(rows * width) / headDim, headDim]);
}

function partName(layer: number, part: string): string {
  return layerName(layer, `self_attn.${part}`);
}
