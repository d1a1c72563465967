import { askTorch, parityCases, parityErrors, type TorchAnswer } from "../../src/testing/index.ts";
import { createKernels } from "../../src/wasm/index.ts";
import { expect, test } from "vitest";

const torch = askTorch(parityCases);

test.for(parityCases)("wasm agrees with Hugging Face transformers: $name", async (item, { skip }) => {
  const outcome = await torch;
  if ("missing" in outcome) return skip(outcome.missing);
  const answer = outcome.answer[parityCases.indexOf(item)] as TorchAnswer;
  const errors = await parityErrors(await createKernels({}), item, answer);
  expect(errors.logProbs).toBeLessThan(1e-5);
  expect(errors.entropy).toBeLessThan(1e-5);
  expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 2e-5))).toEqual([]);
  expect(errors.gradNorm).toBeLessThan(1e-5);
  expect(Object.entries(errors.changes).filter(([, error]) => !(error < 5e-4))).toEqual([]);
});
