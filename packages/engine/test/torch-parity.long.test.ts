import { fileURLToPath } from "node:url";
import { createReferenceKernels } from "@laconic/kernels/testing";
import { askTorch, parityCases, parityErrors, type TorchAnswer } from "@laconic/engine/testing";
import { expect, test } from "vitest";

const python = process.env["LACONIC_PYTHON"] ?? fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));
const torch = askTorch(python, parityCases);

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
