import { fileURLToPath } from "node:url";
import { createReferenceKernels } from "@laconic/kernels/testing";
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

const python = process.env["LACONIC_PYTHON"] ?? fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));
const torch = askTorch(python, parityCases);
const classifiers = askTorchValues(python, valueParityCases);

test.for(parityCases)("as in Hugging Face transformers: $name", { timeout: 120_000 }, async (item, { skip }) => {
  const outcome = await torch;
  if ("unavailable" in outcome) return skip(outcome.unavailable);
  const answer = outcome.answers[parityCases.indexOf(item)] as TorchAnswer;
  const errors = await parityErrors(createReferenceKernels(), item, answer);
  expect(errors.logProbs).toBeLessThan(1e-12);
  expect(errors.entropy).toBeLessThan(1e-12);
  expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 1e-12))).toEqual([]);
  expect(errors.gradNorm).toBeLessThan(1e-12);
  expect(Object.entries(errors.changes).filter(([, error]) => !(error < 1e-11))).toEqual([]);
});

test.for(valueParityCases)(
  "values as of a classifier with one label: $name",
  { timeout: 120_000 },
  async (item, { skip }) => {
    const outcome = await classifiers;
    if ("unavailable" in outcome) return skip(outcome.unavailable);
    const answer = outcome.answers[valueParityCases.indexOf(item)] as (typeof outcome.answers)[number];
    const errors = await valueParityErrors(createReferenceKernels(), item, answer);
    expect(errors.values).toBeLessThan(1e-12);
    expect(Object.keys(errors.gradients)).toContain("score.weight");
    expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 1e-12))).toEqual([]);
  },
);
