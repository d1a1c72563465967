import { expect, test } from "vitest";
import * as browser from "./browser.ts";
import * as node from "./node.ts";

test("both platforms export the same names", () =>
  expect(Object.keys(browser).toSorted()).toEqual(Object.keys(node).toSorted()));

test("a browser refuses the threaded grader and names gradeMaths", () =>
  expect(() => browser.mathsGrader()).toThrow("gradeMaths"));
