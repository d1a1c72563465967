import { ragged, type ObjectiveInput } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { gspo, withRatioUnits } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

const objective = gspo({ clip: { low: 0.9, high: 0.9 } });
const units = Int32Array.of(0, 0, 1);
const input: ObjectiveInput = {
  logProbs: ragged([[-1, -1.1], [-2], [-0.4, -0.2]]),
  oldLogProbs: ragged([[-1.2, -1], [-2.3], [-0.5, -0.2]]),
  advantages: Float64Array.of(1, 1, -0.5),
};
/** -(s A) of the two units. */
const [first, second] = [-Math.exp((0.2 - 0.1 + 0.3) / 3), 0.5 * Math.exp(0.05)];

describe("N counts units", () => {
  test.each([undefined, { sequences: 3, tokens: 5 }, { sequences: 2, tokens: 5 }])(
    "returns the totals' verdict: %j",
    (totals) => {
      const { loss } = withRatioUnits(objective, units).evaluate({ ...input, ...(totals && { totals }) });
      expect(loss).toBeCloseTo((first + second) / 2, 12);
    },
  );

  test("a unit without a trained token is not in N", () => {
    const mask = Uint8Array.of(1, 1, 1, 0, 0);
    const { loss } = withRatioUnits(objective, units).evaluate({ ...input, mask, totals: { sequences: 2, tokens: 3 } });
    expect(loss).toBeCloseTo(first, 12);
  });

  test("micro-batches of whole units add up when the units of the whole batch are given", () => {
    const totals = { sequences: 3, tokens: 5 };
    const part = (from: number, to: number): ObjectiveInput => {
      const rows = (data: ObjectiveInput["logProbs"]): ObjectiveInput["logProbs"] =>
        ragged([0, 1, 2].slice(from, to).map((row) => data.values.subarray(data.offsets[row], data.offsets[row + 1])));
      return {
        logProbs: rows(input.logProbs),
        oldLogProbs: rows(input.oldLogProbs),
        advantages: input.advantages.subarray(from, to),
        totals,
      };
    };
    const a = withRatioUnits(objective, Int32Array.of(0, 0), 2).evaluate(part(0, 2)).loss;
    const b = withRatioUnits(objective, Int32Array.of(0), 2).evaluate(part(2, 3)).loss;
    expect([a, b]).toBeAllclose([first / 2, second / 2], { relative: 1e-12 });
    const untold = refusal(() => withRatioUnits(objective, Int32Array.of(0, 0)).evaluate(part(0, 2)));
    expect(untold.code).toBe("input_invalid");
    expect(untold.message).toContain("totalUnits");
  });
});

describe("unit ids that leave a unit empty, or fit no sequence", () => {
  test.each([
    [[0, 0, 2], "no sequence has id 1"],
    [[1, 1, 2], "no sequence has id 0"],
    [[0, 0, -1], "negative"],
    [[0, 0], "2 unit ids for 3 sequences"],
  ])("%j", (ids, named) => {
    const { code, message } = refusal(() => withRatioUnits(objective, Int32Array.from(ids)).evaluate(input));
    expect(code).toBe("input_invalid");
    expect(message).toContain(named);
  });
});

test("messages of a unit must share their advantage", () => {
  const { message } = refusal(() => withRatioUnits(objective, Int32Array.of(0, 1, 1)).evaluate(input));
  expect(message).toContain("sequences 1 and 2");
});
