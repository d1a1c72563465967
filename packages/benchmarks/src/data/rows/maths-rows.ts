import { lastBoxed } from "@laconic/grading";
import { z } from "zod";
import type { RowProblem } from "../benchmark.ts";
import { gold, numberOrText, plainNumber, refuse, text, type Rows } from "./fields.ts";

const aimeProblem = (id: string, question: string, answer: string, solution?: string): RowProblem => ({
  id: `aime24/${id}`,
  question,
  gold: answer,
  grading: { kind: "maths" },
  ...(solution !== undefined && { solution }),
});

export const aime24Row: Rows = z.union([
  z
    .object({ id: numberOrText, problem: text, answer: gold, solution: z.string().optional() })
    .transform((row) => aimeProblem(row.id, row.problem, row.answer, row.solution)),
  z
    .object({ ID: numberOrText, Problem: text, Answer: gold, Solution: z.string().optional() })
    .transform((row) => aimeProblem(row.ID, row.Problem, row.Answer, row.Solution)),
]);

export const amc23Row: Rows = z
  .object({ id: numberOrText, problem: text.optional(), question: text.optional(), answer: gold })
  .transform(({ id, problem, question, answer }, context) => ({
    id: `amc23/${id}`,
    question: problem ?? question ?? refuse(context, "has neither problem nor question"),
    gold: answer,
    grading: { kind: "maths" },
  }));

/** Has calculator annotations `<<3*4=12>>`. */
export const gsm8kRow: Rows = z.object({ question: text, answer: text }).transform(({ question, answer }, context) => {
  const [solution = "", written] = answer.split("\n#### ");
  return {
    question,
    gold:
      (written === undefined ? null : plainNumber(written)) ??
      refuse(context, 'answer does not end with "#### " and a number'),
    solution: solution.replaceAll(/<<[^<>]*>>/g, ""),
    grading: { kind: "numeric" },
  };
});

const mathTrainRow: Rows = z
  .object({ problem: text, level: z.string(), type: z.string(), solution: text })
  .transform(({ problem, level, type, solution }, context) => ({
    question: problem,
    gold: lastBoxed(solution) ?? refuse(context, "the solution has no boxed answer"),
    solution,
    grading: { kind: "maths" },
    metadata: { subject: type, level },
  }));

const mathTestRow: Rows = z
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
    grading: { kind: "maths" },
    metadata: { subject, level },
  }));

export const math500Row: Rows = z.union([mathTestRow, mathTrainRow]);

const minervaGrading = { kind: "maths", published: "minerva" } as const;

export const minervaRow: Rows = z.union([
  z
    .object({ problem: text, solution: text, type: z.string(), idx: numberOrText })
    .transform(({ problem, solution, type, idx }, context) => ({
      id: `minerva/${idx}`,
      question: problem,
      gold: lastBoxed(solution) ?? refuse(context, "solution holds no \\boxed{…}"),
      solution,
      grading: minervaGrading,
      metadata: { subject: type },
    })),
  z
    .object({ question: text, answer: text })
    .transform(({ question, answer }) => ({ question, gold: answer, grading: minervaGrading })),
]);

const numeric = (question: string, answer: string): RowProblem => ({
  question,
  gold: answer,
  grading: { kind: "numeric" },
});

export const multiarithRow: Rows = z.union([
  z
    .object({ sQuestion: text, lSolutions: z.tuple([gold], z.unknown()) })
    .transform((row) => numeric(row.sQuestion, row.lSolutions[0])),
  z.object({ question: text, final_ans: gold }).transform((row) => numeric(row.question, row.final_ans)),
  z.object({ input: text, target: gold }).transform((row) => numeric(row.input, row.target)),
]);

export const olympiadbenchRow: Rows = z
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
  .transform((row, context) => {
    const tolerance = row.error === null || row.error === undefined || row.error === "" ? null : Number(row.error);
    if (tolerance !== null && !(tolerance > 0))
      return refuse(context, `error is ${row.error}, expected a tolerance above 0`);
    return {
      id: `olympiadbench/${row.id}`,
      question: row.context ? `${row.context.trim()}\n${row.question}` : row.question,
      gold: row.final_answer[0]!,
      grading: {
        kind: "maths",
        ...(row.is_multiple_answer && { several: true }),
        ...(tolerance !== null && { tolerance }),
      },
      metadata: { subject: row.subfield, type: row.answer_type, ...(row.unit && { unit: row.unit }) },
      ...(row.solution && { solution: row.solution.join("\n") }),
    };
  });

export const svampRow: Rows = z
  .object({ ID: text, Body: text, Question: text, Answer: gold, Type: z.string().optional() })
  .transform(({ ID, Body, Question, Answer, Type }) => {
    const ends = /[.!?]$/.test(Body);
    return {
      id: `svamp/${ID}`,
      question: `${Body}${ends ? " " : ". "}${Question}`,
      gold: Answer,
      grading: { kind: "numeric" },
      ...(!ends && { published: `${Body} ${Question}` }),
      ...(Type !== undefined && { metadata: { type: Type } }),
    };
  });

export const stepsRow: Rows = z.object({
  question: text,
  gold,
  grading: z.object({ kind: z.literal("numeric") }),
  solution: text,
  facts: z.array(z.object({ text, needed: z.boolean() })),
  metadata: z.object({ family: text, operations: z.int(), draft: text }),
});
