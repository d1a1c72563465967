import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { lastBoxed } from "@laconic/grading";
import { text } from "./rows.ts";

/** A row of MATH itself, whose answer is boxed at the end of its solution. */
const trainRow = z
  .object({ problem: text, level: z.string(), type: z.string(), solution: text })
  .transform(({ problem, level, type, solution }, context): RowProblem => {
    const gold = lastBoxed(solution);
    if (gold !== null)
      return { question: problem, gold, solution, grading: { kind: "maths" }, metadata: { subject: type, level } };
    context.addIssue({ code: "custom", message: "the solution has no boxed answer" });
    return z.NEVER;
  });

const testRow = z
  .object({
    problem: text,
    solution: z.string(),
    answer: text,
    subject: z.string(),
    level: z.union([z.number(), z.string()]),
    unique_id: text,
  })
  .transform(({ problem, solution, answer, subject, level, unique_id: id }) => ({
    id: `math500/${id}`,
    question: problem,
    gold: answer,
    solution,
    grading: { kind: "maths" } as const,
    metadata: { subject, level },
  }));

const row: z.ZodType<RowProblem> = z.union([testRow, trainRow]);

export const math500: Benchmark = {
  name: "math500",
  title: "MATH-500",
  about: "Competition mathematics in LaTeX, 500 problems of the MATH test set.",
  licence: "MIT (openai/prm800k)",
  source: "https://github.com/openai/prm800k; hub HuggingFaceH4/MATH-500",
  answer: { kind: "maths" },
  gold: "`answer`, in LaTeX",
  traps: [
    "`58,500` is one number, `3, 5, 7` is a list; `10,\\!080` and `\\$32,\\!348` are LaTeX thousands.",
    "Golds have base subscripts (`52_8`) and bare words.",
  ],
  defaultSplit: "test",
  splits: {
    test: {
      rows: 500,
      files: [
        {
          path: "math500/test.jsonl",
          url: "https://raw.githubusercontent.com/MobileLLM/BudgetThinker/f0466b9d37595f46603387baa5930e312fefb7f5/evaluation/data/math500/test_ori.jsonl",
          bytes: 446_564,
          sha256: "35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132",
        },
      ],
      hub: { repo: "HuggingFaceH4/MATH-500", files: ["test.jsonl"] },
    },
    // The training problems of MATH: none of them is among the 500.
    train: { rows: 7500, pool: true, hub: { repo: "EleutherAI/hendrycks_math", files: ["*/train-*.parquet"] } },
  },
  row,
};
