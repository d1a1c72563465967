import { expect, test } from "vitest";
import { factorsOf } from "./choose-variants.ts";
import rows from "./factors.cases.json" with { type: "json" };

const factors = (...keys: readonly string[]): string[] =>
  factorsOf(keys.map((key) => ({ key, before: "1", now: "2" }))).map(({ name }) => name);

test.each(rows)("%j are %j", (keys, expected) => {
  expect(factors(...keys)).toEqual(expected);
});
