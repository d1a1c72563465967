import { z } from "zod";
import type { Benchmark, RowProblem, Split } from "../benchmark.ts";
import { optionLetter } from "../question-text.ts";
import { numberOrText, text } from "./rows.ts";

const letters = "ABCDEFGHIJ";

const row: z.ZodType<RowProblem> = z
  .object({
    question_id: numberOrText,
    question: text,
    options: z.array(z.string()).min(2).max(letters.length),
    answer: z.string(),
    answer_index: z.int().min(0),
    cot_content: z.string().default(""),
    category: text,
  })
  .transform((each, context) => {
    const {
      question_id: id,
      question,
      options,
      answer: gold,
      answer_index: index,
      cot_content: worked,
      category,
    } = each;
    // Some copies fill up to ten with "N/A", which the authors' script leaves out; letters must not move by that.
    const choices = options.filter((option) => option !== "N/A");
    if (optionLetter(index) !== gold || choices[index] === undefined || choices[index] !== options[index]) {
      const message = `answer is ${JSON.stringify(gold)}, and option ${index} of ${choices.length} is not of that letter`;
      context.addIssue({ code: "custom", path: ["answer"], message });
      return z.NEVER;
    }
    const solution = solutionOf(worked);
    return {
      id: `mmlu-pro/${id}`,
      question,
      gold,
      choices,
      grading: { kind: "letter", letters: letters.slice(0, choices.length) } as const,
      metadata: { category },
      ...(solution !== "" && { solution }),
    };
  });

/** Without the words around it, which every example has: who speaks before, and the answer line behind. */
function solutionOf(worked: string): string {
  return worked
    .replace(/^A:\s*(?:Let's think step by step\.\s*)?/u, "")
    .replace(/\s*The answer is \([A-J]\)\.?\s*$/u, "")
    .trim();
}

function part(name: string, rows: number): Split {
  const file = `${name}-00000-of-00001.parquet`;
  return {
    rows,
    hub: { repo: "TIGER-Lab/MMLU-Pro", files: [`data/${name}-*.parquet`] },
    placed: { path: `mmlu-pro/${file}`, how: `put data/${file} of the hub's TIGER-Lab/MMLU-Pro there` },
  };
}

export const mmluPro: Benchmark = {
  name: "mmlu-pro",
  title: "MMLU-Pro",
  about: "Exam questions of 14 categories with up to ten options.",
  licence: "MIT",
  source: "https://github.com/TIGER-AI-Lab/MMLU-Pro; hub TIGER-Lab/MMLU-Pro",
  answer: { kind: "letter", letters },
  gold: "`answer`, a letter from A to J, held against `answer_index`",
  traps: [
    "Questions have three to ten options: guessing is right in more than one of ten.",
    "The 70 validation questions have worked solutions, five a category: examples are those of the question's own.",
    "The authors' script guesses where it finds no letter; ours counts it as wrong.",
  ],
  topic: "category",
  defaultSplit: "test",
  splits: { test: part("test", 12_032), validation: { ...part("validation", 70), pool: true } },
  row,
};
