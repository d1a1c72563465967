import { expect, test } from "vitest";
import { findFiles } from "./find-files.ts";
import { loadSplit } from "./load-split.ts";
import { posed, questionText } from "./question-text.ts";
import { benchmarkNamed } from "./registry.ts";
import { readRow } from "./row-schema.ts";

const data = process.env["LACONIC_DATA"];
const problem = { id: "1", question: "Which is even?", gold: "B", choices: ["one", "two"] };

test("options stand once behind their letters, however often a problem is rendered", () => {
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

test.skipIf(data === undefined).each([
  ["mmlu", "test"],
  ["mmlu-153", "val"],
  ["aqua", "test"],
  ["aqua", "dev"],
] as const)("%s %s: every option of every row is rendered once (LACONIC_DATA)", async (name, split) => {
  const benchmark = benchmarkNamed(name);
  const { problems } = await loadSplit(benchmark, split, await findFiles(benchmark, split, data ?? ""));
  const letters = benchmark.answer.kind === "letter" ? benchmark.answer.letters : "";
  for (const each of problems) {
    const text = questionText(each);
    const lines = each.choices?.map((choice, i) => `\n${letters[i]}) ${choice}`) ?? [];
    expect(lines).toHaveLength(letters.length);
    // Cut out in their order, the options leave the question.
    expect(lines.reduceRight((left, line) => (left.endsWith(line) ? left.slice(0, -line.length) : "lost"), text)).toBe(
      each.question,
    );
    expect(each.question.endsWith(lines.at(-1) ?? "")).toBe(false);
  }
});
