import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { optional, required } from "../src/native/library.ts";
import { knownOperators } from "../src/native/torch.ts";
import { python } from "./installed-torch.ts";
import { recordRuns } from "./recorded-runs.ts";

/** A Python whose PyTorch is built for CUDA, where there is one; a build for the CPU checks all but the GPU's kernels. */
const interpreter = process.env["LACONIC_CUDA_PYTHON"] ?? python;

/** What the script says. */
interface Answer {
  readonly torch: string;
  /** Version of CUDA that PyTorch is built for. */
  readonly cuda: string | null;
  readonly wrong: readonly string[];
  readonly operators: readonly { readonly name: string; readonly kernel: string | null }[];
  readonly missingOptional: readonly string[];
  readonly calls: Readonly<Record<string, number>>;
  readonly events: number;
}

/** Only the CPU's kernels call these. */
const forCpu: readonly string[] = [
  "aten::_scaled_dot_product_flash_attention_for_cpu",
  "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
  "aten::rsqrt",
];

const symbolsOf = (declarations: Readonly<Record<string, string>>): string[] =>
  Object.values(declarations).map((declaration) => declaration.replace(/^\w+ ([\w{}]+).*/, "$1"));

function ask(question: object): { readonly answer: Answer } | { readonly unavailable: string } {
  const script = join(import.meta.dirname, "python/replay_on_fake_cuda.py");
  const { stdout, stderr, error } = spawnSync(interpreter, [script], {
    input: JSON.stringify(question),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (error) return { unavailable: `${interpreter}: ${error.message}` };
  if (/No module named 'torch'/.test(stderr)) return { unavailable: `${interpreter} has no PyTorch` };
  if (stdout === "") throw new Error(stderr);
  return { answer: JSON.parse(stdout) as Answer };
}

/** A build for CUDA reads gigabytes before it answers. */
const timeout = 300_000;

test(
  "PyTorch takes every call that CUDA's kernels make: symbols, schemas, shapes, types and storage",
  { timeout },
  async ({ skip }) => {
    const runs = await recordRuns();
    const operators = knownOperators().map(({ name, results }) => ({ name, results, forCpu: forCpu.includes(name) }));
    const symbols = { required: symbolsOf(required), optional: symbolsOf(optional) };
    const outcome = ask({ runs, operators, symbols });
    if ("unavailable" in outcome) return skip(outcome.unavailable);
    const { answer } = outcome;
    expect(answer.wrong).toEqual([]);
    expect(operators.map(({ name }) => name).filter((name) => answer.calls[name] === undefined)).toEqual(forCpu);
    expect(answer.events).toBe(runs.reduce((sum, { events }) => sum + events.length, 0));
    expect(answer.cuda !== null || process.env["LACONIC_CUDA_PYTHON"] === undefined).toBe(true);
  },
);

const mistakes: readonly (readonly [name: string, event: readonly unknown[], message: RegExp])[] = [
  ["a view past the end", ["view", 2, 1, [3, 2], [2, 1], 0], /reaches element 6 of 4/],
  ["too few arguments", ["call", "aten::bmm", [1], [2]], /1 arguments are given, 2 are read/],
  ["a result that is another", ["claim", 1, [4], "float32", null], /taken for contiguous \[4\] float32/],
  ["a plain number for an optional", ["call", "aten::cumsum", [1, { int: 1 }, { type: 6 }], [2]], /a plain value/],
  ["the wrong shapes", ["call", "aten::dot", [1, 1], [2]], /1D tensors/],
  ["the host's bytes in the GPU's memory", ["write", 1, 16], /the host would write/],
];

test("the check is not blind", { timeout }, ({ skip }) => {
  const runs = mistakes.map(([name, event]) => ({
    name,
    events: [["empty", 1, [2, 2], [2, 1], 6, "cuda:0"], event],
  }));
  const outcome = ask({
    runs,
    operators: [{ name: "aten::mm", results: 2, forCpu: false }],
    symbols: { required: ["torch_no_such_symbol"], optional: ["neither_this"] },
  });
  if ("unavailable" in outcome) return skip(outcome.unavailable);
  const { answer } = outcome;
  expect(answer.wrong).toEqual([
    "aten::mm returns 1 results, 2 are taken",
    "no symbol torch_no_such_symbol",
    ...mistakes.map(([, , message]) => expect.stringMatching(message) as unknown),
  ]);
  expect(answer.missingOptional).toEqual(["neither_this"]);
});
