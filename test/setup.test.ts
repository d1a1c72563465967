import { LaconicError } from "../packages/core/src/index.ts";
import { expect, test } from "vitest";

test("toBeAllclose accepts what is within its tolerance and nothing else", () => {
  expect([1, 2, 3]).toBeAllclose(Float64Array.of(1, 2 + 1e-7, 3));
  expect([Infinity, Number.NaN]).toBeAllclose([Infinity, Number.NaN]);
  expect([]).toBeAllclose([]);
  expect([0]).toBeAllclose([0.5], { absolute: 0.5 });
  expect(() => expect([1, 2]).toBeAllclose([1, 2.1])).toThrow("[1] is 2, expected 2.1");
  expect(() => expect([1]).toBeAllclose([Infinity])).toThrow("[0] is 1, expected Infinity");
  expect(() => expect([Number.NaN]).toBeAllclose([0])).toThrow("[0] is NaN, expected 0");
  expect(() => expect([1]).toBeAllclose([1, 1])).toThrow("1 numbers, expected 2");
});

test("toFailWith compares code, message and detail, and refuses what does not fail", async () => {
  const error = new LaconicError("input_invalid", "a bad value", { key: "a", row: 1 });
  const fail = (): never => {
    throw error;
  };
  expect(fail).toFailWith("input_invalid", "bad", /^a/u, { key: "a" });
  expect(error).toFailWith("input_invalid");
  await expect(Promise.reject(error)).rejects.toFailWith("input_invalid", { key: "a", row: 1 });
  expect(() => expect(fail).toFailWith("data_invalid")).toThrow("input_invalid: a bad value");
  for (const part of ["good", /^bad/u, { key: "b" }, { missing: 1 }])
    expect(() => expect(fail).toFailWith("input_invalid", part)).toThrow("expected input_invalid");
  expect(() => expect(() => 1).toFailWith("input_invalid")).toThrow("undefined:");
});

test("a console call in a test is an error", () => {
  expect(() => console.warn("careful")).toThrow("console.warn was called in a test: careful");
});
