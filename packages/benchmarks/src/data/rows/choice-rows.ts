import { z } from "zod";
import type { RowProblem } from "../benchmark.ts";
import { optionLetter } from "../question-text.ts";
import { numberOrText, refuse, text, type Rows } from "./fields.ts";

const fourLetters = { kind: "letter", letters: "ABCD" } as const;

export const aquaRow: Rows = z
  .object({
    question: text,
    options: z.array(z.string()).length(5),
    rationale: z.string().optional(),
    correct: z.enum(["A", "B", "C", "D", "E"]),
  })
  .transform(({ question, options, rationale, correct }) => ({
    question,
    gold: correct,
    choices: options.map((option) => option.replace(/^[A-E]\)/, "").trim()),
    grading: { kind: "letter", letters: "ABCDE" },
    ...(rationale !== undefined && { solution: rationale }),
  }));

/** The correct option is last, before the shuffle. */
export const gpqaRow: Rows = z
  .object({
    "Record ID": text,
    Question: text,
    "Correct Answer": text,
    "Incorrect Answer 1": text,
    "Incorrect Answer 2": text,
    "Incorrect Answer 3": text,
    Explanation: z.string().trim().default(""),
    Subdomain: z.string().default(""),
    "High-level domain": z.string().default(""),
  })
  .transform((row) => ({
    id: `gpqa/${row["Record ID"]}`,
    question: row.Question,
    gold: "D",
    choices: [row["Incorrect Answer 1"], row["Incorrect Answer 2"], row["Incorrect Answer 3"], row["Correct Answer"]],
    grading: fourLetters,
    metadata: { domain: row["High-level domain"], subdomain: row.Subdomain },
    ...(row.Explanation !== "" && { solution: row.Explanation }),
  }));

function mmluProblem(subject: string, question: string, choices: readonly string[], gold: string): RowProblem {
  return { question: question.trim(), gold, choices, grading: fourLetters, metadata: { subject } };
}

const four = z.array(z.string()).length(4);
const answerIndex = z.int().min(0).max(3);

/** Reads the archive's CSV, the hub, and the STEM subset. Cells with "None" are answers. */
export const mmluRow: Rows = z.union([
  z
    .object({
      cells: z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.enum(["A", "B", "C", "D"])]),
      file: z.string(),
    })
    .transform(({ cells: [question, a, b, c, d, gold], file }) =>
      mmluProblem(/([^/\\]+)_(?:test|val|dev)\.csv$/.exec(file)?.[1] ?? "unknown", question, [a, b, c, d], gold),
    ),
  z
    .object({ question: z.string(), subject: z.string(), choices: four, answer: answerIndex })
    .transform((row) => mmluProblem(row.subject, row.question, row.choices, optionLetter(row.answer))),
  z
    .object({ question: z.string(), type: z.string(), choices: four, answer: answerIndex })
    .transform((row) => mmluProblem(row.type, row.question, row.choices, optionLetter(row.answer))),
]);

const tenLetters = "ABCDEFGHIJ";

export const mmluProRow: Rows = z
  .object({
    question_id: numberOrText,
    question: text,
    options: z.array(z.string()).min(2).max(tenLetters.length),
    answer: z.string(),
    answer_index: z.int().min(0),
    cot_content: z.string().default(""),
    category: text,
  })
  .transform(({ question, options, answer, answer_index: index, category, ...row }, context) => {
    // The authors' script drops padding "N/A"; letters must stay.
    const choices = options.filter((option) => option !== "N/A");
    if (optionLetter(index) !== answer || choices[index] === undefined || choices[index] !== options[index]) {
      const location = `option ${index} of ${choices.length}`;
      return refuse(context, `answer is ${JSON.stringify(answer)}, and ${location} is not of that letter`, "answer");
    }
    // Phrases around every worked solution.
    const solution = row.cot_content
      .replace(/^A:\s*(?:Let's think step by step\.\s*)?/u, "")
      .replace(/\s*The answer is \([A-J]\)\.?\s*$/u, "")
      .trim();
    return {
      id: `mmlu-pro/${row.question_id}`,
      question,
      gold: answer,
      choices,
      grading: { kind: "letter", letters: tenLetters.slice(0, choices.length) },
      metadata: { category },
      ...(solution !== "" && { solution }),
    };
  });
