import { expect, test } from "vitest";
import { answerForm, answerLine, answerReading, type AnswerKind } from "./index.ts";

test.for([
  [{ kind: "numeric" }, "-7"],
  [{ kind: "letter", letters: "ABCDE" }, "E"],
  [{ kind: "maths" }, "\\frac{1}{2}"],
  [{ kind: "text" }, "Paris"],
] as const satisfies readonly (readonly [AnswerKind, string])[])(
  "%j: the line of a worked example is in the form that is asked for, and its reader reads it",
  ([kind, answer]) => {
    const line = answerLine(kind, answer);
    expect(answerReading(kind).read(`Some words.\n${line}`)).toBe(answer);
    const [mark] = /####|The answer is|\\boxed/u.exec(answerForm(kind)) ?? [];
    expect(line.startsWith(mark as string)).toBe(true);
  },
);

test("a program is in the requested block, a text without one", () => {
  expect(answerLine({ kind: "code" }, "pass")).toBe("```python\npass\n```");
  expect(answerLine({ kind: "writing" }, "A text.")).toBe("A text.");
});
