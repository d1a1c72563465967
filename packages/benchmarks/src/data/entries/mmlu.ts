import { z } from "zod";
import type { Benchmark, BenchmarkProblem, KnownFile, RowProblem, Split } from "../benchmark.ts";
import { optionLetter } from "../question-text.ts";
import { mmlu153 } from "./mmlu-153.ts";

const answer = { kind: "letter", letters: "ABCD" } as const;

function problem(subject: string, question: string, choices: readonly string[], gold: string): RowProblem {
  return {
    question: question.trim(),
    gold,
    choices,
    grading: answer,
    metadata: { subject },
  };
}

const four = z.array(z.string()).length(4);
const answerIndex = z.int().min(0).max(3);

/** A record of the archive's CSV, the hub's rows, and those of the STEM subset. Cells that read "None" are answers. */
const row: z.ZodType<RowProblem> = z.union([
  z
    .object({
      cells: z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.enum(["A", "B", "C", "D"])]),
      file: z.string(),
    })
    .transform(({ cells: [question, a, b, c, d, gold], file }) =>
      problem(subjectOf(file), question, [a, b, c, d], gold),
    ),
  z
    .object({ question: z.string(), subject: z.string(), choices: four, answer: answerIndex })
    .transform((each) => problem(each.subject, each.question, each.choices, optionLetter(each.answer))),
  z
    .object({ question: z.string(), type: z.string(), choices: four, answer: answerIndex })
    .transform((each) => problem(each.type, each.question, each.choices, optionLetter(each.answer))),
]);

/** `mmlu.zip/data/test/high_school_physics_test.csv` is of high_school_physics. */
function subjectOf(file: string): string {
  return /([^/\\]+)_(?:test|val|dev)\.csv$/.exec(file)?.[1] ?? "unknown";
}

const archive: KnownFile = {
  path: "mmlu/mmlu.zip",
  url: "https://raw.githubusercontent.com/jincan333/MAS-TTS/ae8f961818d47860cfbde256b72cbb5c326e6b85/LLaMA-Factory/evaluation/mmlu/mmlu.zip",
  bytes: 2_336_375,
  sha256: "9e2b2d78bf59d80baf271a13005568ef0aca17bd663f2e5ebfecdc07a68f0edc",
};

function split(part: "test" | "val" | "dev", hub: string, rows: number, pool = false): Split {
  const within = new RegExp(String.raw`(^|/)data/${part}/[^/]+_${part}\.csv$`);
  return {
    rows,
    files: [archive],
    within,
    hub: { repo: "cais/mmlu", files: [`all/${hub}-*.parquet`] },
    ...(pool && { pool }),
  };
}

export const mmlu: Benchmark = {
  name: "mmlu",
  title: "MMLU",
  about: "Exam questions of 57 subjects with four options.",
  licence: "MIT (hendrycks/test); the host of the archive states Apache-2.0",
  source: "https://github.com/hendrycks/test",
  answer,
  gold: "the sixth cell, a letter from A to D; on the hub an index from 0",
  traps: [
    "The CSV has no header, and questions hold quoted newlines.",
    'Cells that read "None" are answers: 10 in the test, 2 in the validation split. A reader that makes them null breaks those rows.',
  ],
  topic: "subject",
  defaultSplit: "test",
  calibrateFrom: { benchmark: "mmlu", split: "val" },
  splits: {
    test: split("test", "test", 14_042),
    val: split("val", "validation", 1531),
    dev: split("dev", "dev", 285, true),
  },
  row,
};

export const mmluSubset: Benchmark = {
  ...mmlu,
  name: "mmlu-153",
  title: "MMLU-153",
  about: "The 153 validation questions of MMLU that GPTSwarm, AgentPrune and the papers after them score.",
  traps: [
    ...mmlu.traps,
    "The list is that of numpy's `default_rng(888)` over the sorted validation files; we ship it instead of the generator.",
    "With 153 questions the standard error at 83 % is 3 points.",
  ],
  defaultSplit: "val",
  calibrateFrom: { benchmark: "mmlu-153", split: "dev" },
  splits: { val: { ...split("val", "validation", 153) }, dev: split("dev", "dev", 285, true) },
  select: (problems, name) => (name === "val" ? inListedOrder(problems) : [...problems]),
};

/** Rows of a subject keep their order in every copy. */
function inListedOrder(problems: readonly BenchmarkProblem[]): BenchmarkProblem[] {
  const bySubject = new Map<unknown, BenchmarkProblem[]>();
  for (const each of problems) {
    const subject = each.metadata?.["subject"];
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), each]);
  }
  return mmlu153.flatMap(([subject, index]) => {
    const found = bySubject.get(subject)?.[index];
    return found ? [{ ...found, id: `mmlu-153/${subject}/${index}` }] : [];
  });
}
