import { expect, test } from "vitest";
import { retryDelayMs } from "./hub-connection.ts";

const date = "Fri, 01 Jan 2027 00:00:00 GMT";

test.each<[attempt: number, headers: Record<string, string> | null, ms: number | null]>([
  [0, null, 500],
  [3, {}, 4000],
  [20, {}, 30_000],
  [3, { "retry-after": "2" }, 2000],
  [0, { "retry-after": "0" }, 0],
  [0, { "retry-after": "300" }, 300_000],
  [0, { "retry-after": "301" }, null],
  [0, { "retry-after": "Fri, 01 Jan 2027 00:01:00 GMT", date }, 60_000],
  [0, { "retry-after": "Thu, 31 Dec 2026 00:00:00 GMT", date }, 0],
  [0, { "retry-after": "Sat, 02 Jan 2027 00:00:00 GMT", date }, null],
  [1, { "retry-after": "Fri, 01 Jan 2027 00:01:00 GMT" }, 1000],
  [1, { "retry-after": "soon", date }, 1000],
])("waits after %i failed attempts and %j: %s ms", (attempt, headers, ms) => {
  expect(retryDelayMs(attempt, headers && new Headers(headers))).toBe(ms);
});
