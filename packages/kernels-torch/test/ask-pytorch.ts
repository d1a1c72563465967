import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { optional, required } from "../src/native/library.ts";
import { resultsOf, shimsByOperator, type ShimArgument } from "../src/native/shims.ts";
import { aten } from "../src/native/torch.ts";
import { recordRuns, type RecordedRun } from "./recorded-runs.ts";

export interface Question {
  readonly runs: readonly { readonly name: string; readonly events: readonly (readonly unknown[])[] }[];
  readonly operators: readonly { readonly name: string; readonly results: number; readonly forCpu: boolean }[];
  readonly shims: readonly {
    readonly operator: string;
    readonly symbol: string;
    readonly takes: readonly ShimArgument[];
    readonly results: number;
  }[];
  readonly symbols: { readonly required: readonly string[]; readonly optional: readonly string[] };
}

export interface Answer {
  readonly torch: string;
  readonly cuda: string | null;
  readonly wrong: readonly string[];
  /** Kernel of each operator on a GPU: CUDA's or composed; null if missing. */
  readonly operators: readonly { readonly name: string; readonly kernel: string | null }[];
  readonly missingOptional: readonly string[];
  readonly unchecked: readonly string[];
  readonly calls: Readonly<Record<string, number>>;
  readonly events: number;
}

export const cpuOnly: readonly string[] = [
  "aten::_scaled_dot_product_flash_attention_for_cpu",
  "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
  "aten::rsqrt",
  "aten::rsqrt.out",
  "aten::index_select.out",
  "mkldnn::_reorder_linear_weight",
  "mkldnn::_linear_pointwise",
  "mkldnn::_linear_pointwise.binary",
];

/** Called only if the most likely thousand tokens hold too little mass, which zeros do not show. */
export const dataDependent: readonly string[] = ["aten::sort"];

/** Called only as C functions that the stand-in lacks; their arguments are checked against the schema. */
export const asFunction: readonly string[] = ["aten::_flash_attention_forward_no_dropout_inplace"];

export async function kernelQuestion(thorough: boolean): Promise<Question & { readonly runs: readonly RecordedRun[] }> {
  const runs = await recordRuns(thorough);
  const operators = Object.values(aten).map(({ name, results }) => ({
    name,
    results,
    forCpu: cpuOnly.includes(name),
    asFunction: shimsByOperator[name]?.every(({ takes }) => takes.includes("empty")) ?? false,
  }));
  const shims = Object.entries(shimsByOperator).flatMap(([operator, forms]) =>
    forms.map(({ symbol, takes }) => ({ operator, symbol, takes, results: resultsOf(operator) })),
  );
  return { runs, operators, shims, symbols: { required: symbolsOf(required), optional: symbolsOf(optional) } };
}

function symbolsOf(declarations: Readonly<Record<string, string>>): string[] {
  return Object.values(declarations).map((declaration) => declaration.replace(/^\w+ ([\w{}]+).*/, "$1"));
}

export function askPyTorch(
  python: string,
  question: Question,
): { readonly answer: Answer } | { readonly unavailable: string } {
  const script = join(import.meta.dirname, "python/replay_on_fake_cuda.py");
  const { stdout, stderr, error } = spawnSync(python, [script], {
    input: JSON.stringify(question),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (error) return { unavailable: `${python}: ${error.message}` };
  if (/No module named 'torch'/.test(stderr)) return { unavailable: `${python} has no PyTorch` };
  if (stdout === "") throw new Error(stderr);
  return { answer: JSON.parse(stdout) as Answer };
}
