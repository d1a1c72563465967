import { expect, test } from "vitest";
import { hasSympy, sympyAgreement } from "./sympy-agreement.ts";

test.skipIf(!hasSympy())("reads typed expressions like SymPy: 400 random pairs (LACONIC_PYTHON)", () => {
  const { compared, undecided, different } = sympyAgreement("quick", 400);
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(400);
  expect(undecided).toBeLessThan(0.03 * compared);
});
