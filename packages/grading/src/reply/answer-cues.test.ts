import { expect, test } from "vitest";
import { cuesIn } from "./answer-cues.ts";

const marked = (text: string, also?: "choosing" | "result"): string =>
  cuesIn(text, also)
    .toReversed()
    .reduce((rest, { end }) => `${rest.slice(0, end)}|${rest.slice(end)}`, text);

test.each([
  "The answer is |B.",
  "The answer, therefore, is |7",
  "the answer to part (b) is |7, not 8",
  'answer": "|B"',
  "<final_answer>|12</final_answer>",
  "answer: |B",
  "The answer comes out to be |7",
  "finalAnswer = |-3",
  "### Answer\n\n|12",
  "The final answer is: |$\\boxed{12}$",
  "La respuesta a la pregunta es |C",
  "Réponse : |B",
  "La réponse est donc |12",
  "Die Antwort auf die Frage lautet |B",
  "A resposta é |(A)",
  "Jawaban yang benar adalah |D",
  "الإجابة الصحيحة هي |C",
  "सही उत्तर |B है",
  "正解は|Cです",
  "정답은 |B입니다",
  "答案是 |12",
  "What is the answer?",
  "Answer the question.",
  "The result is 12, I choose B",
  "The answers vary.",
])("an answer may begin at the bar in %j", (text) => {
  expect(marked(text.replaceAll("|", ""))).toBe(text);
});

test.each([
  ["So, the correct statement is |B.", "choosing"],
  ["I choose |B. 选项|A错误,因此选|C", "choosing"],
  ["Option |B fails", "choosing"],
  ["Das Ergebnis beträgt |3,5", "result"],
] as const)("%j has the cues of %s", (text, also) => {
  expect(marked(text.replaceAll("|", ""), also)).toBe(text);
});
