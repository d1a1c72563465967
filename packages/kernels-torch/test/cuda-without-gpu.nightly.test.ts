import { expect, test } from "vitest";
import { findPython } from "@laconic/core/platform";
import { asFunction, askPyTorch, cpuOnly, dataDependent, kernelQuestion } from "./ask-pytorch.ts";

/** A Python whose PyTorch is built for CUDA, where there is one; a build for the CPU checks all but the GPU's kernels. */
const interpreter = process.env["LACONIC_CUDA_PYTHON"] ?? findPython();

/** A build for CUDA reads gigabytes before it answers. */
test("PyTorch accepts every call of CUDA's kernels: symbols, schemas, shapes, types and storage", async ({ skip }) => {
  const question = await kernelQuestion(false);
  const outcome = askPyTorch(interpreter, question);
  if ("unavailable" in outcome) return skip(outcome.unavailable);
  const { answer } = outcome;
  expect(answer.wrong).toEqual([]);
  const unreached = question.operators.map(({ name }) => name).filter((name) => answer.calls[name] === undefined);
  expect(unreached.toSorted()).toEqual([...cpuOnly, ...dataDependent, ...asFunction].toSorted());
  expect(answer.events).toBe(question.runs.reduce((sum, { events }) => sum + events.length, 0));
  expect(
    answer.unchecked.filter((name) => answer.cuda !== null || !/\.(?:\w+_)?(?:out|grad_input)$/u.test(name)),
  ).toEqual([]);
  expect(answer.cuda !== null || process.env["LACONIC_CUDA_PYTHON"] === undefined).toBe(true);
});

const mistakes: readonly (readonly [name: string, event: readonly unknown[], message: RegExp])[] = [
  ["a view past the end", ["view", 2, 1, [3, 2], [2, 1], 0], /reaches element 6 of 4/],
  ["too few arguments", ["call", "aten::bmm", [1], [2]], /1 arguments are given, 2 are read/],
  ["a result that is another", ["claim", 1, [4], "float32", null], /taken for contiguous \[4\] float32/],
  ["a plain number for an optional", ["call", "aten::cumsum", [1, { int: 1 }, { type: 6 }], [2]], /a plain value/],
  ["the wrong shapes", ["call", "aten::dot", [1, 1], [2]], /1D tensors/],
  ["the host's bytes in the GPU's memory", ["write", 1, 16], /the host would write/],
];

test("the check finds planted faults", ({ skip }) => {
  const runs = mistakes.map(([name, event]) => ({
    name,
    events: [["empty", 1, [2, 2], [2, 1], 6, "cuda:0"], event],
  }));
  const outcome = askPyTorch(interpreter, {
    runs,
    operators: [{ name: "aten::mm", results: 2, forCpu: false }],
    shims: [{ operator: "aten::topk", symbol: "neither_that", takes: ["tensor", "float"], results: 2 }],
    symbols: { required: ["torch_no_such_symbol"], optional: ["neither_this"] },
  });
  if ("unavailable" in outcome) return skip(outcome.unavailable);
  const { answer } = outcome;
  expect(answer.wrong).toEqual([
    "aten::mm returns 1 results, 2 are taken",
    "neither_that takes float for k, which is int",
    "no symbol torch_no_such_symbol",
    ...mistakes.map(([, , message]) => expect.stringMatching(message) as unknown),
  ]);
  expect(answer.missingOptional).toEqual(["neither_this", "neither_that"]);
});
