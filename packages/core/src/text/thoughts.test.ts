import { expect, test } from "vitest";
import { replyParts, withoutThoughts } from "./thoughts.ts";
import rows from "./thoughts.cases.json" with { type: "json" };

test.each(rows)("%j without thoughts is %j", (text, visible) => {
  expect(withoutThoughts(text)).toBe(visible);
});

test("the parts of a reply join to its text", () => {
  const text = "a</think>b<think>c</think>[THINK]d[/THINK]e<think>f".repeat(3);
  const parts = replyParts(text);
  expect(parts.map((part) => part.text).join("")).toBe(text);
  expect(parts.slice(0, 3).map((part) => part.isThought)).toEqual([true, false, true]);
});
