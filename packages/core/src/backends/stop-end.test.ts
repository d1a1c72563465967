import { expect, test } from "vitest";
import { stopEnd } from "./stop-end.ts";

test.each([
  [[1, 2, 3, 4], [[2, 3]], 3],
  [[1, 2, 3, 4], [[4], [2, 3]], 3],
  [[2, 2, 3], [[2, 3]], 3],
  [[1, 2], [[2, 3]], null],
  [[1, 2], [[]], null],
  [[], [[1]], null],
  [[1, 1], [[1], [1, 1]], 1],
] as const)("%j ends by %j behind %s tokens", (tokens, stops, end) => {
  expect(stopEnd(tokens, stops)).toBe(end);
});
