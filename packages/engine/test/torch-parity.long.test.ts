import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import {
  askTorch,
  askTorchValues,
  parityCases,
  parityErrors,
  valueParityCases,
  valueParityErrors,
  type TorchAnswer,
} from "@laconic/engine/testing";
import { describe, expect, test } from "vitest";
import { createKernels } from "../src/wasm/index.ts";

const torch = askTorch(parityCases);
const classifiers = askTorchValues(valueParityCases);

const sets = [
  { name: "reference", create: async () => createReferenceKernels(), error: 1e-12, gradient: 1e-12, change: 1e-11 },
  { name: "wasm", create: () => createKernels({}), error: 1e-5, gradient: 2e-5, change: 1e-3 },
];

describe.each(sets)("$name", ({ create, error, gradient, change }) => {
  test.for(parityCases)("agrees with Hugging Face transformers: $name", async (item, { skip }) => {
    const outcome = await torch;
    if ("missing" in outcome) return skip(outcome.missing);
    const answer = outcome.answer[parityCases.indexOf(item)] as TorchAnswer;
    const errors = await parityErrors(await create(), item, answer);
    expect(errors.logProbs).toBeLessThan(error);
    expect(errors.entropy).toBeLessThan(error);
    expect(Object.entries(errors.gradients).filter(([, value]) => !(value < gradient))).toEqual([]);
    expect(errors.gradNorm).toBeLessThan(error);
    expect(Object.entries(errors.changes).filter(([, value]) => !(value < change))).toEqual([]);
  });
});

test.for(valueParityCases)("values agree with a one-label classifier: $name", async (item, { skip }) => {
  const outcome = await classifiers;
  if ("missing" in outcome) return skip(outcome.missing);
  const answer = outcome.answer[valueParityCases.indexOf(item)];
  if (!answer) return skip("transformers has no classifier of this family");
  const errors = await valueParityErrors(createReferenceKernels(), item, answer);
  expect(errors.values).toBeLessThan(1e-12);
  expect(Object.keys(errors.gradients)).toContain("score.weight");
  expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 1e-12))).toEqual([]);
});
