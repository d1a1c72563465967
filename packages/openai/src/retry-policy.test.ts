import { expect, test } from "vitest";
import { backoffMs, parseRetryAfter, remedyFor } from "./retry-policy.ts";

test.for([
  ["5", 5000],
  ["0", 0],
  ["36000", 300_000],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 9000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["soon", null],
  ["-3", null],
  ["", null],
] as const)("retry-after %j waits %s ms", ([header, ms]) => {
  expect(parseRetryAfter(header, 1000)).toBe(ms);
});

test("waits double from half a second to thirty, and are drawn from zero up", () => {
  expect([1, 2, 3, 7, 50].map((attempt) => backoffMs(attempt, 1))).toEqual([500, 1000, 2000, 30_000, 30_000]);
  expect(backoffMs(3, 0)).toBe(0);
});

test.for([
  [{}, "retry"],
  [{ status: 500 }, "retry"],
  [{ status: 529 }, "retry"],
  [{ status: 429, code: "rate_limit_exceeded" }, "retry"],
  [{ status: 429, code: "insufficient_quota" }, "spent"],
  [{ status: 402 }, "spent"],
  [{ status: 401 }, "refused"],
  [{ status: 418 }, "refused"],
  [{ malformed: true }, "retry-once"],
] as const)("%j: %s", ([failure, kind]) => {
  expect(remedyFor(failure, 0).kind).toBe(kind);
});
