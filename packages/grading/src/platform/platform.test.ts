import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import * as browser from "./browser.ts";
import * as node from "./node.ts";

test("both platforms export the same names", () =>
  expect(Object.keys(browser).toSorted()).toEqual(Object.keys(node).toSorted()));

test("a browser refuses the threaded grader and names gradeMaths", () =>
  expect(() => browser.mathsGrader()).toThrow("gradeMaths"));

test.each([
  ["node", node],
  ["browser", browser],
])("%s unpacks a zlib stream up to a limit", async (_, { inflated }) => {
  const text = new Uint8Array(5000).fill(65);
  const packed = Uint8Array.from(deflateSync(text));
  expect(Uint8Array.from(await inflated(packed, 5000))).toEqual(text);
  await expect(inflated(packed, 4999)).rejects.toThrow(/become more than|larger than|unpacks to more/u);
});
