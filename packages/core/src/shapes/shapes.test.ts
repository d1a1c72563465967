import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkShape, findShapeMismatch, group, type Shape } from "../index.ts";
import { schemaOf } from "../schemas/index.ts";

interface Options {
  readonly target: number;
  readonly unit?: "token" | "budget";
  readonly most: number | null;
  readonly guard?: { readonly action: string };
}

const options = group<Options>({
  target: { shape: "above0" },
  unit: { shape: { kind: "choice", of: ["token", "budget"] }, optional: true },
  most: { shape: "count", nullable: true },
  guard: { shape: group<{ readonly action: string }>({ action: { shape: "text" } }), optional: true },
});

describe("findShapeMismatch", () => {
  test.each<[unknown, string, string]>([
    [{ target: 0, most: null }, "target", "it must be a finite number above 0, not 0"],
    [{ target: NaN, most: null }, "target", "not NaN"],
    [{ target: "5", most: null }, "target", 'not "5"'],
    [{ most: null }, "target", "it is missing"],
    [{ target: 1 }, "most", "it is missing"],
    [{ target: 1, most: 1.5 }, "most", "a whole number from 0"],
    [{ target: 1, most: null, unit: "turn" }, "unit", 'one of token, budget, not "turn"'],
    [{ target: 1, most: null, unit: undefined }, "unit", "not undefined"],
    [{ target: 1, most: null, guard: { action: 4 } }, "guard.action", "a text, not 4"],
    [{ targt: 1, most: null }, "targt", "did you mean target?"],
    [{ target: 1, most: null, zzzzzz: 1 }, "zzzzzz", "use one of: target, unit, most, guard"],
    [[], "", "a group of settings, not a list"],
    [null, "", "not null"],
    [{ target: 1, most: () => 4 }, "most", "not a function"],
  ])("%j: %s, %s", (value, path, reason) => {
    const shapeMismatch = findShapeMismatch(options, value);
    expect(shapeMismatch?.path.join(".")).toBe(path);
    expect(shapeMismatch?.reason).toContain(reason);
  });

  test("names of prototypes are no settings", () => {
    const value = JSON.parse('{"target":1,"most":null,"__proto__":{}}') as unknown;
    expect(findShapeMismatch(options, value)?.path).toEqual(["__proto__"]);
    expect(findShapeMismatch(options, { target: 1, most: null, constructor: 1 })?.path).toEqual(["constructor"]);
  });
});

test("checkShape names the whole key", () => {
  expect(() => checkShape(options, { target: -1, most: null }, "budget")).toFailWith("config_invalid", {
    key: "budget.target",
  });
  checkShape(options, { target: 1, most: 4 }, "budget");
});

describe("schemaOf", () => {
  const values = fc.oneof(
    fc.constantFrom<unknown>(null, undefined, NaN, Infinity, -1, 0, 0.5, 1, 2, "token", "budget", "x", true, {}, []),
    fc.array(fc.constantFrom<unknown>(true, 0.5, 2), { maxLength: 3 }),
    fc.record(
      {
        target: fc.constantFrom<unknown>(0, 1, 0.5, NaN, "1", null),
        unit: fc.constantFrom<unknown>("token", "x", 1),
        most: fc.constantFrom<unknown>(null, 0, 1.5, 3),
        guard: fc.constantFrom<unknown>({ action: "a" }, { action: 1 }, {}, null, { action: "a", more: 1 }),
        other: fc.constant(1),
      },
      { requiredKeys: [] },
    ),
  );
  const list: Shape = { kind: "list", of: { kind: "either", of: ["boolean", "share"] }, least: 1 };

  test("accepts what findShapeMismatch accepts, and nothing else", () => {
    fc.assert(
      fc.property(values, (value) => {
        for (const shape of [options, "positive", list] as const)
          expect(schemaOf(shape).safeParse(value).success).toBe(findShapeMismatch(shape, value) === null);
      }),
      { seed: 15, numRuns: 500 },
    );
  });
});
