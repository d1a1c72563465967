import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { gold, numberOrText, qwenMaths, text } from "./rows.ts";

const problem = (id: string, question: string, answer: string, solution?: string): RowProblem => ({
  id: `aime24/${id}`,
  question,
  gold: answer,
  grading: { kind: "maths" },
  ...(solution !== undefined && { solution }),
});

const row: z.ZodType<RowProblem> = z.union([
  z
    .object({ id: numberOrText, problem: text, answer: gold, solution: z.string().optional() })
    .transform((each) => problem(each.id, each.problem, each.answer, each.solution)),
  z
    .object({ ID: numberOrText, Problem: text, Answer: gold, Solution: z.string().optional() })
    .transform((each) => problem(each.ID, each.Problem, each.Answer, each.Solution)),
]);

export const aime24: Benchmark = {
  name: "aime24",
  title: "AIME 2024",
  about: "The 30 problems of both AIME contests of 2024; answers are integers from 0 to 999.",
  licence: "MIT for the copy; the texts belong to the MAA",
  source: "https://github.com/QwenLM/Qwen2.5-Math; hub HuggingFaceH4/aime_2024",
  answer: { kind: "maths" },
  gold: "`answer` as an integer",
  traps: ["Golds are zero-padded texts (025); they are read as integers."],
  defaultSplit: "test",
  examplesFrom: "math500",
  splits: {
    test: {
      rows: 30,
      files: [
        {
          path: "aime24/test.jsonl",
          url: `${qwenMaths}/aime24/test.jsonl`,
          bytes: 156_944,
          sha256: "af2b8bd2aa911b6333ad0df32f3ca05c7ae8ed10f1731f4372c8ae26990bf7ac",
        },
      ],
      hub: { repo: "HuggingFaceH4/aime_2024", files: ["**train*.parquet"] },
    },
  },
  row,
};
