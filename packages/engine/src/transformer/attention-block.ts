import type { CachePlan, Kernels, KeyValueCache, SequenceLayout, Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";
import type { Gradients } from "./gradients.ts";
import type { ModelConfig } from "./model-config.ts";
import { attentionShape, type ModelOnDevice } from "./model-on-device.ts";
import { norm, normBackward, type Normed, type NormPass } from "./norm.ts";
import { layerName } from "./parameters.ts";
import { project, projectBackward, projectTogether, projectTogetherBackward } from "./projection.ts";
import type { MergedProjection } from "./projection.ts";

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

interface Heads {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
  readonly norms: readonly (NormPass | null)[];
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

/** Returns mixed values [N, queryHeads * headDim]. */
export function attentionFromCache(
  model: ModelOnDevice,
  layer: number,
  input: Tensor,
  positions: Tensor,
  cache: KeyValueCache,
  plan: CachePlan,
): Tensor {
  const { kernels } = model;
  return kernels.scope(() => {
    const { q, k, v } = kernels.scope(() => {
      const heads = projectHeads(model, layer, input, positions);
      return { q: heads.q, k: heads.k, v: heads.v };
    });
    return kernels.attentionCached(q, k, v, cache, attentionShape(model.config), plan);
  });
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
  const { kernels, config } = model;
  const { positions, layout } = rows;
  const { q, k, v, norms } = pass.heads;
  const output = partName(layer, "o_proj");
  const dKept = projectBackward(model, output, dOutput, pass.selected, gradients, rows.dropout);
  const dMixed = scatterSelectedRows(kernels, dKept, rows);
  const saved = { q, k, v, out: pass.mixed, logSumExp: pass.logSumExp };
  const { dQ, dK, dV } = kernels.attentionBackward(dMixed, saved, attentionShape(config), layout);
  const unnormed = (both: Tensor): Tensor[] =>
    splitHeads(model, both).map((d, i) => {
      const normed = norms[i];
      return normed ? kernels.reshape(normBackward(model, normed, normRows(model, d), gradients), d.shape) : d;
    });
  const { qkNorm } = config.family;
  const joined = kernels.joinColumns([dQ, dK]);
  const rotated = qkNorm?.afterRotation ? kernels.joinColumns(unnormed(joined)) : joined;
  const unrotated = rotate(model, layer, rotated, positions, true);
  let dParts: readonly Tensor[] = [unrotated];
  if (qkNorm && !qkNorm.afterRotation) dParts = unnormed(unrotated);
  else if (model.adapter) dParts = splitHeads(model, unrotated);
  // Adapters need separate tensors.
  const dHeads = model.adapter ? [...dParts, dV] : [kernels.joinColumns([...dParts, dV])];
  return projectTogetherBackward(model, headProjection(config, layer), dHeads, pass.input, gradients, rows.dropout);
}

function projectHeads(model: ModelOnDevice, layer: number, input: Tensor, positions: Tensor, dropout?: Dropout): Heads {
  const { kernels, config } = model;
  const projected = projectTogether(model, headProjection(config, layer), input, dropout);
  const [rawQ, rawK, v] = projected as [Tensor, Tensor, Tensor];
  const rotated = (q: Tensor, k: Tensor): [q: Tensor, k: Tensor] =>
    splitHeads(model, rotate(model, layer, kernels.joinColumns([q, k]), positions));
  const isLate = config.family.qkNorm?.afterRotation;
  const [toNormQ, toNormK] = isLate ? rotated(rawQ, rawK) : [rawQ, rawK];
  const [query, key] = [headNorm(model, layer, "query", toNormQ), headNorm(model, layer, "key", toNormK)];
  const [q, k] = isLate ? [query.out, key.out] : rotated(query.out, key.out);
  return { q, k, v, norms: [query.pass, key.pass] };
}

/** Rotates queries and keys [N, heads * headDim]; layers without rotation return them. */
function rotate(model: ModelOnDevice, layer: number, both: Tensor, positions: Tensor, inverse = false): Tensor {
  const { kernels, config, rotary } = model;
  const tables = rotary[config.layerRotations[layer] ?? -1];
  if (!tables) return both;
  const { queryHeads, kvHeads, headDim, family } = config;
  const [rows, heads, half] = [both.shape[0]!, queryHeads + kvHeads, tables.cos.shape[1]!];
  if (2 * half === headDim && !family.adjacentPairs) return kernels.rotary(both, tables, positions, heads, inverse);
  const perHead = kernels.reshape(both, [rows * heads, headDim]);
  const turning = kernels.columns(perHead, 0, 2 * half);
  // Scores do not depend on the order of elements, so that only gradients return to it.
  const halves = family.adjacentPairs && !inverse ? pairsToHalves(kernels, turning) : turning;
  const joined = kernels.reshape(halves, [rows, 2 * half * heads]);
  const turned = kernels.reshape(kernels.rotary(joined, tables, positions, heads, inverse), turning.shape);
  const ordered = family.adjacentPairs && inverse ? halvesToPairs(kernels, turned) : turned;
  const rest = headDim - 2 * half;
  const whole = rest === 0 ? ordered : kernels.joinColumns([ordered, kernels.columns(perHead, 2 * half, rest)]);
  return kernels.reshape(whole, both.shape);
}

/** Moves elements 0 1 2 3 ... of each row to 0 2 ... 1 3 ... */
function pairsToHalves(kernels: Kernels, x: Tensor): Tensor {
  const [rows, half] = [x.shape[0]!, x.shape[1]! / 2];
  const pairs = kernels.reshape(x, [rows * half, 2]);
  return kernels.joinColumns([0, 1].map((side) => kernels.reshape(kernels.columns(pairs, side, 1), [rows, half])));
}

function halvesToPairs(kernels: Kernels, x: Tensor): Tensor {
  const [rows, half] = [x.shape[0]!, x.shape[1]! / 2];
  const sides = [0, half].map((start) => kernels.reshape(kernels.columns(x, start, half), [rows * half, 1]));
  return kernels.reshape(kernels.joinColumns(sides), x.shape);
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

function headNorm(model: ModelOnDevice, layer: number, part: "query" | "key", x: Tensor): Normed {
  const { qkNorm } = model.config.family;
  if (!qkNorm) return { out: x, pass: null };
  const { out, pass } = norm(model, partName(layer, `${qkNorm[part]}.weight`), normRows(model, x));
  return { out: model.kernels.reshape(out, x.shape), pass };
}

/** Rows of a norm: heads or whole projections. */
function normRows({ kernels, config }: ModelOnDevice, x: Tensor): Tensor {
  if (config.family.qkNorm?.over === "projection") return x;
  const { headDim } = config;
  const [rows, width] = x.shape as readonly [number, number];
  return kernels.reshape(x, [(rows * width) / headDim, headDim]);
}

function partName(layer: number, part: string): string {
  return layerName(layer, `self_attn.${part}`);
}
