import { expect, test } from "vitest";
import { moduleBeside } from "./module-beside.ts";

test.each([
  ["file:///a/b/here.ts", "file:///a/b/thread.ts"],
  ["file:///a/b/here.ts?namespace=one", "file:///a/b/thread.ts"],
  ["file:///a/b/here.js?name=x.ts", "file:///a/b/thread.js"],
])("reads %s as the module %s", (url, expected) => {
  expect(moduleBeside("./thread", url).href).toBe(expected);
});
