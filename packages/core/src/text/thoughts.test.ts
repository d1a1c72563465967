import { expect, test } from "vitest";
import { replyParts, withoutThoughts } from "./thoughts.ts";

test.each([
  ["no thought", "no thought"],
  ["<think>a</think>b", "b"],
  ["<thinking>a <think> b</thinking>c", "c"],
  ["<scratch_pad>a</scratch_pad>b<think>c</think>d", "bd"],
  ["[THINK]a[/THINK]b", "b"],
  ["◁think▷a◁/think▷b", "b"],
  ["<|START_THINKING|>a<|END_THINKING|>b", "b"],
  ["<|channel>thought\na<channel|>b", "b"],
  [
    "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
    "<|start|>assistant<|channel|>final<|message|>b",
  ],
  ["the prompt opened it</think>b", "b"],
  ["a<think>b", "a"],
  ["<think>a</think>b</think>c", "b</think>c"],
  ["<think>all of it", "<think>all of it"],
  ["<think>all of it</think>\n", "<think>all of it</think>\n"],
  ["<thought experiment> 1 < 2", "<thought experiment> 1 < 2"],
])("%j without thoughts is %j", (text, visible) => {
  expect(withoutThoughts(text)).toBe(visible);
});

test("the parts of a reply join to its text", () => {
  const text = "a</think>b<think>c</think>[THINK]d[/THINK]e<think>f".repeat(3);
  const parts = replyParts(text);
  expect(parts.map((part) => part.text).join("")).toBe(text);
  expect(parts.slice(0, 3).map((part) => part.isThought)).toEqual([true, false, true]);
});
