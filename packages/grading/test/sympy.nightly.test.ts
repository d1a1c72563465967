import { expect, test } from "vitest";
import { hasSympy, sympyAgreement } from "./sympy-agreement.ts";

test.skipIf(!hasSympy())("reads typed expressions as SymPy does: 20,000 drawn pairs (LACONIC_PYTHON)", () => {
  const { compared, undecided, different } = sympyAgreement("nightly", 20_000);
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(20_000);
  expect(undecided).toBeLessThan(0.03 * compared);
});
