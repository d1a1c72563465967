import { expect, test } from "vitest";
import { posed, questionText } from "./question-text.ts";
import { benchmarkNamed } from "./registry.ts";
import { readRow } from "./row-schema.ts";

const problem = { id: "1", question: "Which is even?", gold: "B", choices: ["one", "two"] };

test("options follow their letters once, however often a problem is rendered", () => {
  const text = "Which is even?\nA) one\nB) two";
  expect(questionText(problem)).toBe(text);
  expect(questionText({ question: "2 + 2?" })).toBe("2 + 2?");
  expect(questionText(posed(posed(problem)))).toBe(text);
  expect(posed(problem)).toEqual({ id: "1", question: text, gold: "B" });
});

const rows = {
  mmlu: { question: " Which is even? ", subject: "s", choices: ["one", "two", "three", "five"], answer: 1 },
  aqua: { question: "Which is even?", options: ["A)one", "B)two", "C)three", "D)five", "E)7"], correct: "B" },
} as const;

test.each(["mmlu", "mmlu-153", "aqua"] as const)("%s: a row's question holds no option", (name) => {
  const read = readRow(benchmarkNamed(name).row, rows[name === "aqua" ? "aqua" : "mmlu"]);
  expect(read).toMatchObject({ problem: { question: "Which is even?", gold: "B" } });
  const choices = "problem" in read ? read.problem.choices : undefined;
  expect(choices?.slice(0, 4)).toEqual(["one", "two", "three", "five"]);
});
