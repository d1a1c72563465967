import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { plainNumber, text } from "./rows.ts";

const commit = "3101c7d5072418e28b9008a6636bde82a006892c";
const at = `https://raw.githubusercontent.com/openai/grade-school-math/${commit}/grade_school_math/data`;

const row: z.ZodType<RowProblem> = z
  .object({ question: text, answer: text })
  .transform(({ question, answer }, context) => {
    const [solution, written] = answer.split("\n#### ");
    const gold = written === undefined ? null : plainNumber(written);
    if (gold !== null)
      return { question, gold, solution: withoutMarks(solution as string), grading: { kind: "numeric" } as const };
    context.addIssue({ code: "custom", message: 'answer does not end with "#### " and a number' });
    return z.NEVER;
  });

/** Solutions carry `<<3*4=12>>` for a calculator. */
function withoutMarks(solution: string): string {
  return solution.replaceAll(/<<[^<>]*>>/g, "");
}

export const gsm8k: Benchmark = {
  name: "gsm8k",
  title: "GSM8K",
  about: "Word problems of school arithmetic whose answer is one whole number.",
  licence: "MIT",
  source: "https://github.com/openai/grade-school-math",
  answer: { kind: "numeric" },
  gold: "the text after `#### `, without commas",
  traps: [
    "Solutions carry `<<…>>` calculator marks; they are taken out before a solution serves as an exemplar.",
    "All golds are integers; 14 have thousands commas, 2 are negative.",
    "The common flexible extractor takes the last number of a reply and compares texts, so 20.00 is not 20 and a later stray number wins. Ours compares numbers and looks for `####`, a box and an answer phrase first.",
  ],
  defaultSplit: "test",
  splits: {
    test: {
      rows: 1319,
      files: [
        {
          path: "gsm8k/test.jsonl",
          url: `${at}/test.jsonl`,
          bytes: 749_738,
          sha256: "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
        },
      ],
      hub: { repo: "openai/gsm8k", files: ["main/test-*.parquet"] },
    },
    train: {
      rows: 7473,
      pool: true,
      files: [
        {
          path: "gsm8k/train.jsonl",
          url: `${at}/train.jsonl`,
          bytes: 4_166_206,
          sha256: "17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465",
        },
      ],
      hub: { repo: "openai/gsm8k", files: ["main/train-*.parquet"] },
    },
  },
  row,
};
