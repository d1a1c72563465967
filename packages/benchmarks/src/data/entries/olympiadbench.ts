import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { numberOrText, qwenMaths, text } from "./rows.ts";

const row: z.ZodType<RowProblem> = z
  .object({
    id: numberOrText,
    subfield: z.string(),
    context: z.string().nullish(),
    question: text,
    solution: z.array(z.string()).nullish(),
    final_answer: z.array(text).length(1),
    is_multiple_answer: z.boolean(),
    answer_type: z.string(),
    unit: z.string().nullish(),
    error: z.union([z.string(), z.number()]).nullish(),
  })
  .transform((each, context) => {
    const tolerance = each.error === null || each.error === undefined || each.error === "" ? null : Number(each.error);
    if (tolerance !== null && !(tolerance > 0)) {
      context.addIssue({ code: "custom", message: `error is ${each.error}, expected a tolerance above 0` });
      return z.NEVER;
    }
    return {
      id: `olympiadbench/${each.id}`,
      question: each.context ? `${each.context.trim()}\n${each.question}` : each.question,
      gold: each.final_answer[0] as string,
      grading: {
        kind: "maths",
        ...(each.is_multiple_answer && { several: true }),
        ...(tolerance !== null && { tolerance }),
      } as const,
      metadata: { subject: each.subfield, type: each.answer_type, ...(each.unit && { unit: each.unit }) },
      ...(each.solution && { solution: each.solution.join("\n") }),
    };
  });

export const olympiadbench: Benchmark = {
  name: "olympiadbench",
  title: "OlympiadBench",
  about: "Olympiad mathematics in English, open-ended and without pictures (OE_TO_maths_en_COMP).",
  licence: "MIT",
  source: "https://github.com/OpenBMB/OlympiadBench; copy in https://github.com/QwenLM/Qwen2.5-Math",
  answer: { kind: "maths" },
  gold: "`final_answer[0]`",
  traps: [
    "This copy has 675 rows with unique ids, where 674 are published; which one exceeds is not established.",
    "94 golds list several answers: comma-joined inside one `$…$`, or in several `$…$`, sometimes with prose between. They are split before `$` is taken off.",
    "The gold of id 2349 is malformed (`$221,$8$`). 8 rows carry a unit; id 2592 a tolerance of 1e-1.",
  ],
  defaultSplit: "test",
  examplesFrom: "math500",
  splits: {
    test: {
      rows: 675,
      files: [
        {
          path: "olympiadbench/test.jsonl",
          url: `${qwenMaths}/olympiadbench/test.jsonl`,
          bytes: 1_493_870,
          sha256: "bb8c1e38a16ea9eacb77530315a674d883f267fbff79183effc53681b4fcc416",
        },
        {
          path: "olympiadbench/test.json",
          url: `${qwenMaths}/olympiadbench/test.json`,
          bytes: 1_587_049,
          sha256: "3567c23130004c8936543aeb06739f094fcdcb1688cb2b655d0b18e7e1e3d4f9",
        },
      ],
    },
    hub: { rows: 674, hub: { repo: "Hothan/OlympiadBench", files: ["**OE_TO_maths_en_COMP*.parquet"] } },
  },
  row,
};
