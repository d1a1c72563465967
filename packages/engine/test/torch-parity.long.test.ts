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
import { expect, test } from "vitest";

const torch = askTorch(parityCases);
const classifiers = askTorchValues(valueParityCases);

test.for(parityCases)("as in Hugging Face transformers: $name", async (item, { skip }) => {
  const outcome = await torch;
  if ("missing" in outcome) return skip(outcome.missing);
  const answer = outcome.answer[parityCases.indexOf(item)] as TorchAnswer;
  const errors = await parityErrors(createReferenceKernels(), item, answer);
  expect(errors.logProbs).toBeLessThan(1e-12);
  expect(errors.entropy).toBeLessThan(1e-12);
  expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 1e-12))).toEqual([]);
  expect(errors.gradNorm).toBeLessThan(1e-12);
  expect(Object.entries(errors.changes).filter(([, error]) => !(error < 1e-11))).toEqual([]);
});

test.for(valueParityCases)("values as of a classifier with one label: $name", async (item, { skip }) => {
  const outcome = await classifiers;
  if ("missing" in outcome) return skip(outcome.missing);
  const answer = outcome.answer[valueParityCases.indexOf(item)] as (typeof outcome.answer)[number];
  const errors = await valueParityErrors(createReferenceKernels(), item, answer);
  expect(errors.values).toBeLessThan(1e-12);
  expect(Object.keys(errors.gradients)).toContain("score.weight");
  expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 1e-12))).toEqual([]);
});
