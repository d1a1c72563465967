import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedJson, maxJsonDepth } from "./bounded-json.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((item) => depthOf(item)));
}

function outcomeOf(json: string, maxDepth: number): unknown {
  try {
    return boundedJson(json, { maxDepth });
  } catch (error) {
    return (error as Error).message;
  }
}

test("any JSON that is not too deep is what JSON.parse makes of it; any other is refused", () => {
  const text = fc.json({ maxDepth: 12, stringUnit: fc.constantFrom("a", "[", "]", "{", "}", '"', "\\", "é", "\n") });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 12 }), (json, maxDepth) => {
      const value: unknown = JSON.parse(json);
      const isDeeper = depthOf(value) > maxDepth;
      expect(outcomeOf(json, maxDepth)).toEqual(isDeeper ? `it is nested more than ${maxDepth} levels deep` : value);
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test.each(["", "[", '"', '"\\', '{"a":}', "nope", "]]]]", '["\\"]'])("%j is no JSON", (text) => {
  expect(() => boundedJson(text)).toThrow(SyntaxError);
});

test.each([
  ["lists", "[", "]"],
  ["objects", '{"a":', "}"],
  ["both", '[{"a":', "}]"],
])("%s are read up to the limit and not beyond, however many there are", (_, open, close) => {
  const nested = (count: number): string => `${open.repeat(count)}[]${close.repeat(count)}`;
  const levels = (open.match(/[[{]/gu) ?? []).length;
  const most = Math.floor((maxJsonDepth - 1) / levels);
  expect(depthOf(boundedJson(nested(most)))).toBe(levels * most + 1);
  for (const count of [most + 1, 20_000, 2_000_000])
    expect(() => boundedJson(nested(count))).toThrow("nested more than 100 levels deep");
  expect(() => boundedJson(open.repeat(1_000_000))).toThrow("nested more than 100 levels deep");
});

test.each([
  ["lists", "[]"],
  ["objects", "{}"],
  ["numbers", "0"],
  ["keys", '{"a":0}'],
])("rejects many %s before they take memory, but accepts long strings", (_, text) => {
  const many = `[${Array.from({ length: 70_000 }, () => text).join()}]`;
  expect(() => boundedJson(many, { maxBytes: 2 ** 20 })).toThrow("it would take more than 1 MiB of memory");
  expect(boundedJson(many)).toHaveLength(70_000);
  expect(boundedJson(JSON.stringify("[,:{".repeat(70_000)), { maxBytes: 0 })).toHaveLength(280_000);
});
