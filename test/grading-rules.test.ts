import { afterAll, expect, test } from "vitest";
import { gradeProblem } from "../packages/benchmarks/src/index.ts";
import { mathsGrader, type GradeRule, type Grading } from "../packages/grading/src/index.ts";
import { readText } from "./workspace.ts";

const maths = mathsGrader();
afterAll(() => maths.close());

const boxed = (answer: string): string => `So it is $\\boxed{${answer}}$.`;
const said = (answer: string): string => `Final Answer: The final answer is $${answer}$. I hope it is correct.`;
type Column = readonly [rule: GradeRule, grading: Grading, reply: (answer: string) => string];
const columns: readonly Column[] = [
  ["own", { kind: "maths" }, boxed],
  ["lenient", { kind: "maths" }, boxed],
  ["published", { kind: "maths" }, boxed],
  ["published", { kind: "maths", published: "minerva" }, said],
];

/** Rows of the page's table, each with its form, gold and answer, and what the page says of it. */
const table = readText("docs/grading.md").split("### Forms on which graders differ")[1]?.split("\n## ")[0] ?? "";
const rows = [
  ...table.matchAll(/^\| (\w+) +\| `(.+?)` +\| `(.+?)` +\| ((?:right|wrong)(?: +\| (?:right|wrong)){3}) +\|$/gmu),
].map(([, form = "", gold = "", answer = "", verdicts = ""]) => ({
  form,
  gold,
  answer,
  verdicts: verdicts.replaceAll(/ +/gu, " "),
}));

test("the table decides every form with differing graders", () => {
  const forms = ["degrees", "units", "percent", "intervals", "sets", "lists", "tuples", "decimals", "bases"];
  expect(forms.filter((form) => !rows.some((row) => row.form === form))).toEqual([]);
});

test.for(rows)("$form: $answer for $gold", async ({ gold, answer, verdicts }) => {
  const judged = await Promise.all(
    columns.map(([rule, grading, reply]) =>
      gradeProblem(reply(answer), { id: "row", question: "", gold, grading }, { maths, rule }),
    ),
  );
  expect(judged.map(({ correct }) => (correct ? "right" : "wrong")).join(" | ")).toBe(verdicts);
});
