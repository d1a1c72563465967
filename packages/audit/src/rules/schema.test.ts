import { describe, expect, test } from "vitest";
import { byName, named, unknownIn, type Known } from "./schema.ts";

const known: Known = {
  steps: "number",
  "rate?": { peak: "number", "decay?": ["linear", "cosine"] },
  rule: named(
    "name",
    { mean: { reads: ["scale"] }, sum: { reads: [] } },
    { "scale?": ["none", "group"] },
    { kl: "any" },
  ),
  costs: byName({ "by?": "text" }),
};

describe("unknownIn", () => {
  test.each([
    [{}, null],
    [{ steps: 3, rate: { peak: 1, decay: "cosine" } }, null],
    [{ rate: null, rule: "./mine.ts" }, null],
    [{ rate: { peak: 1, decay: "step" } }, 'rate.decay "step"'],
    [{ rate: 3 }, "rate 3"],
    [{ "rate?": 3 }, "rate?"],
    [{ rule: { name: "mean", scale: "group", kl: {} } }, null],
    [{ rule: { name: "sum", scale: "group" } }, "rule.scale"],
    [{ rule: { name: "mine", anything: 1 } }, null],
    [{ rule: { name: "constructor", anything: 1 } }, null],
    [{ costs: { tokens: { by: "hint" }, turns: { of: 1 } } }, "costs.turns.of"],
    [{ constructor: 1 }, "constructor"],
  ])("%j: %j", (value, found) => {
    expect(unknownIn(value, known)).toBe(found);
  });
});
