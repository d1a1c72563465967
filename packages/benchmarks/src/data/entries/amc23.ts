import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { gold, numberOrText, qwenMaths, text } from "./rows.ts";

const row: z.ZodType<RowProblem> = z
  .object({ id: numberOrText, problem: text.optional(), question: text.optional(), answer: gold })
  .transform(({ id, problem, question, answer }, context) => {
    const asked = problem ?? question;
    if (asked !== undefined)
      return { id: `amc23/${id}`, question: asked, gold: answer, grading: { kind: "maths" } as const };
    context.addIssue({ code: "custom", message: "has neither problem nor question" });
    return z.NEVER;
  });

export const amc23: Benchmark = {
  name: "amc23",
  title: "AMC 2023",
  about: "40 problems of the AMC 12 contests of 2023, asked without their options.",
  licence: "MIT for the copy; the texts belong to the MAA",
  source: "https://github.com/QwenLM/Qwen2.5-Math; hub math-ai/amc23",
  answer: { kind: "maths" },
  gold: "`answer`",
  traps: ["Golds are floats (27.0) and read as 27; one is -1."],
  defaultSplit: "test",
  examplesFrom: "math500",
  splits: {
    test: {
      rows: 40,
      files: [
        {
          path: "amc23/test.jsonl",
          url: `${qwenMaths}/amc23/test.jsonl`,
          bytes: 27_631,
          sha256: "43707e1ca784602d8479de24ee8ce36609dbebc46dd152b0b12a46611aa898a4",
        },
      ],
      hub: { repo: "math-ai/amc23", files: ["**test*"] },
    },
  },
  row,
};
