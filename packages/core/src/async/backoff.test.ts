import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test("waits double from half a second to thirty, and are drawn from zero up", () => {
  expect([1, 2, 3, 7, 50].map((attempt) => backoffMs(attempt, 1))).toEqual([500, 1000, 2000, 30_000, 30_000]);
  expect(backoffMs(3, 0)).toBe(0);
});
