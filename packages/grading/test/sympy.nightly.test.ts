import { expect, test } from "vitest";
import { hasSympy, sympyAgreement } from "./sympy-agreement.ts";

test.skipIf(!hasSympy())("reads typed expressions like SymPy: 20,000 random pairs (LACONIC_PYTHON)", () => {
  const { compared, undecided, different } = sympyAgreement("nightly", 20_000);
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(20_000);
  expect(undecided).toBeLessThan(0.03 * compared);
});
