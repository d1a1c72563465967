import { aten } from "./operator.ts";

/**
 * C functions that borrow tensors and take plain numbers, faster than the dispatcher. They never change, because
 * compiled models link to them.
 */
export type ShimArgument =
  | "tensor"
  | "int"
  | "float"
  | "bool"
  /** 64-bit numbers. */
  | "ints"
  | "tensors"
  | "text"
  | "empty"
  /** Address of the value, or 0. */
  | "tensor?"
  | "float?"
  | "int?"
  | "type?"
  | "none";

/** C function with its arguments; result addresses follow. */
export interface Shim {
  readonly symbol: string;
  readonly takes: readonly ShimArgument[];
}

export interface LoadedShim {
  readonly takes: readonly ShimArgument[];
  readonly call: NativeFunction;
}

const flash: readonly ShimArgument[] = [
  ...(["tensor", "tensor", "tensor", "tensor?", "tensor?", "int", "int", "float", "bool", "bool"] as const),
  ...(["float?", "int?", "int?", "tensor?", "tensor?"] as const),
];

/** Best first; `{device}` is `cpu`, `cuda` or `mps`. */
export const shimsByOperator: Readonly<Record<string, readonly Shim[]>> = {
  "aten::mul.Tensor": [shim("mul_Tensor", ["tensor", "tensor"])],
  "aten::cat": [shim("cat", ["tensors", "int"])],
  "aten::cumsum": [shim("cumsum", ["tensor", "int", "type?"])],
  "aten::sort": [shim("sort", ["tensor", "int", "bool"])],
  "aten::topk": [shim("topk", ["tensor", "int", "int", "bool", "bool"])],
  "aten::searchsorted.Tensor": [shim("searchsorted_Tensor", ["tensor", "tensor", "bool", "bool", "none", "tensor?"])],
  "aten::_fused_rms_norm": [shim("_fused_rms_norm", ["tensor", "ints", "tensor?", "float?"])],
  "aten::_scaled_dot_product_flash_attention_for_cpu": [
    shim("_scaled_dot_product_flash_attention_for_cpu", [
      ...(["tensor", "tensor", "tensor", "float", "bool", "tensor?", "float?"] as const),
    ]),
  ],
  // CPU only.
  "mkldnn::_linear_pointwise": [shim("_linear_pointwise", ["tensor", "tensor", "tensor?", "text", "empty", "none"])],
  "mkldnn::_linear_pointwise.binary": [
    shim("_linear_pointwise_binary", [...(["tensor", "tensor", "tensor", "tensor?", "text"] as const)]),
  ],
  "aten::_flash_attention_forward": [
    shim("_flash_attention_forward_v2", [...flash, "tensor?", "int?"]),
    shim("_flash_attention_forward", flash),
  ],
  "aten::_flash_attention_forward_no_dropout_inplace": [
    shim("_flash_attention_forward_no_dropout_inplace_v2", ["tensor", ...flash, "tensor?", "int?"]),
    shim("_flash_attention_forward_no_dropout_inplace", ["tensor", ...flash, "tensor?"]),
  ],
};

function shim(name: string, takes: readonly ShimArgument[]): Shim {
  return { symbol: `aoti_torch_{device}_${name}`, takes };
}

export function resultsOf(name: string): number {
  return Object.values(aten).find((operator) => operator.name === name)?.results ?? 1;
}

/** Types other than one address. */
const cTypes: Partial<Readonly<Record<ShimArgument, string>>> = {
  int: "int64_t",
  float: "double",
  bool: "int32_t",
  ints: "uint64_t, int64_t",
  tensors: "uint64_t, int64_t",
  empty: "uint64_t, int64_t",
};

export function findShims(find: (declaration: string) => NativeFunction | null): ReadonlyMap<string, LoadedShim> {
  const match = new Map<string, LoadedShim>();
  for (const [name, forms] of Object.entries(shimsByOperator))
    for (const form of forms) {
      const call = find(shimDeclaration(form, resultsOf(name)));
      if (!call) continue;
      match.set(name, { takes: form.takes, call });
      break;
    }
  return match;
}

function shimDeclaration({ symbol, takes }: Shim, results: number): string {
  const types = [
    ...takes.map((kind) => cTypes[kind] ?? "uint64_t"),
    ...Array.from({ length: results }, () => "uint64_t"),
  ];
  return `int ${symbol}(${types.join(", ")})`;
}

export type NativeFunction = (...args: readonly (number | bigint | boolean)[]) => number;
