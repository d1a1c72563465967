import { cString } from "./native-memory.ts";
import type { ScalarType } from "./scalar-type.ts";

/** Address of an at::Tensor on torch's heap: one owned reference. */
export type Handle = number;

/** A plain number is a borrowed tensor handle. */
export type Argument =
  | Handle
  | { readonly int: number }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly type: ScalarType }
  /** Never negative. */
  | { readonly ints: readonly number[] }
  | { readonly bools: readonly boolean[] }
  | { readonly tensors: readonly Handle[] }
  /** Plain C functions only. */
  | { readonly text: string }
  | { readonly some: Argument }
  /** Absent optional argument. */
  | null;

export interface Operator<Count extends ResultCount = 1> {
  readonly name: string;
  readonly nameAddress: number;
  readonly overloadAddress: number;
  readonly results: Count;
}

export type ResultCount = 0 | 1 | 2 | 3 | 5;

export type Handles<Count extends ResultCount> = [
  readonly [],
  readonly [Handle],
  readonly [Handle, Handle],
  readonly [Handle, Handle, Handle],
  never,
  readonly [Handle, Handle, Handle, Handle, Handle],
][Count];

/** Names with overload, and number of results if not one. */
const names = {
  atLeast: "aten::ge.Tensor",
  bmm: "aten::bmm",
  cat: "aten::cat",
  contiguous: "aten::contiguous",
  cumsum: "aten::cumsum",
  divide: "aten::div.Tensor",
  dot: "aten::dot",
  embeddingBackward: "aten::embedding_dense_backward",
  equal: "aten::eq.Tensor",
  exp: "aten::exp",
  expInPlace: "aten::exp_",
  expOut: "aten::exp.out",
  findInfinite: ["aten::_amp_foreach_non_finite_check_and_unscale_", 0],
  flashBackward: ["aten::_flash_attention_backward", 3],
  flashBackwardCpu: ["aten::_scaled_dot_product_flash_attention_for_cpu_backward", 3],
  flashForward: ["aten::_flash_attention_forward", 5],
  flashForwardCpu: ["aten::_scaled_dot_product_flash_attention_for_cpu", 2],
  flashForwardInto: "aten::_flash_attention_forward_no_dropout_inplace",
  fusedAdamW: ["aten::_fused_adamw_", 0],
  fusedNorm: ["aten::_fused_rms_norm", 2],
  fusedNormBackward: ["aten::_fused_rms_norm_backward", 2],
  gather: "aten::gather",
  greater: "aten::gt.Tensor",
  indexCopy: "aten::index_copy_",
  indexSelect: "aten::index_select",
  indexSelectOut: "aten::index_select.out",
  lerp: "aten::lerp.Tensor",
  less: "aten::lt.Tensor",
  log: "aten::log",
  logAddExp: "aten::logaddexp",
  logSoftmax: "aten::_log_softmax",
  logSoftmaxOut: "aten::_log_softmax.out",
  logSumExp: "aten::logsumexp",
  maxAlong: ["aten::max.dim", 2],
  maxOver: "aten::amax",
  maximum: "aten::maximum",
  minimum: "aten::minimum",
  mm: "aten::mm",
  mmWide: "aten::mm.dtype",
  multiply: "aten::mul.Tensor",
  multiplyInPlace: "aten::mul_.Tensor",
  multiplyOut: "aten::mul.out",
  negate: "aten::neg",
  oneDnnLinear: "mkldnn::_linear_pointwise",
  oneDnnLinearOnto: "mkldnn::_linear_pointwise.binary",
  oneDnnReorder: "mkldnn::_reorder_linear_weight",
  reciprocal: "aten::reciprocal",
  roll: "aten::roll",
  rowNorms: "aten::norm_except_dim",
  rsqrt: "aten::rsqrt",
  rsqrtOut: "aten::rsqrt.out",
  scatterAdd: "aten::scatter_add_",
  searchSorted: "aten::searchsorted.Tensor",
  shiftRight: "aten::bitwise_right_shift.Tensor",
  sigmoid: "aten::sigmoid",
  sigmoidBackward: "aten::sigmoid_backward",
  silu: "aten::silu",
  siluBackwardOut: "aten::silu_backward.grad_input",
  siluOut: "aten::silu.out",
  softmax: "aten::_softmax",
  sort: ["aten::sort", 2],
  sqrt: "aten::sqrt",
  sumOver: "aten::sum.dim_IntList",
  toDtype: "aten::to.dtype",
  topK: ["aten::topk", 2],
  transpose: "aten::transpose.int",
  where: "aten::where.self",
} as const;

type ResultsOf<Name> = Name extends readonly [string, infer Count extends ResultCount] ? Count : 1;

export const aten: { readonly [Key in keyof typeof names]: Operator<ResultsOf<(typeof names)[Key]>> } =
  Object.fromEntries(
    Object.entries(names).map(([key, entry]) => {
      const [name, results] = typeof entry === "string" ? [entry, 1] : entry;
      return [key, operator(name, results as ResultCount)];
    }),
  ) as unknown as typeof aten;

function operator(name: string, results: ResultCount): Operator<ResultCount> {
  const [base, overload = ""] = name.split(".") as [string, string?];
  // This module also loads without native calls.
  let [nameAddress, overloadAddress]: [number | null, number | null] = [null, null];
  return {
    name,
    get nameAddress() {
      return (nameAddress ??= cString(base));
    },
    get overloadAddress() {
      return (overloadAddress ??= cString(overload));
    },
    results,
  };
}
