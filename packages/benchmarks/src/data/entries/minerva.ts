import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { lastBoxed } from "@laconic/grading";
import { numberOrText, qwenMaths, text } from "./rows.ts";

const grading = { kind: "maths", published: "minerva" } as const;

const row: z.ZodType<RowProblem> = z.union([
  z
    .object({ problem: text, solution: text, type: z.string(), idx: numberOrText })
    .transform(({ problem, solution, type, idx }, context) => {
      const gold = lastBoxed(solution);
      if (gold !== null)
        return { id: `minerva/${idx}`, question: problem, gold, solution, grading, metadata: { subject: type } };
      context.addIssue({ code: "custom", message: "solution holds no \\boxed{…}" });
      return z.NEVER;
    }),
  z.object({ question: text, answer: text }).transform(({ question, answer }) => ({ question, gold: answer, grading })),
]);

export const minerva: Benchmark = {
  name: "minerva",
  title: "Minerva Math",
  about: "University problems of science and mathematics from MIT OpenCourseWare.",
  licence: "MIT for the copy; texts of MIT OpenCourseWare",
  source: "https://github.com/QwenLM/Qwen2.5-Math; hub math-ai/minervamath",
  answer: { kind: "maths" },
  gold: "the last `\\boxed{}` of `solution`",
  traps: [
    "58 golds are in computer notation (`4.5e33`), one is `np.arcsin(10/13)`, some are expressions.",
    "Units matter here: Qwen's evaluation does not strip them.",
  ],
  defaultSplit: "test",
  examplesFrom: "math500",
  splits: {
    test: {
      rows: 272,
      files: [
        {
          path: "minerva/test.jsonl",
          url: `${qwenMaths}/minerva_math/test.jsonl`,
          bytes: 247_267,
          sha256: "0e656b430d3a0a1dab6aa853f453ba3805e28e2cabe4fc72486a897cc09d8ba2",
        },
      ],
      hub: { repo: "math-ai/minervamath", files: ["**test*"] },
    },
  },
  row,
};
