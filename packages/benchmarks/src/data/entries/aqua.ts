import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { text } from "./rows.ts";

const at = "https://raw.githubusercontent.com/google-deepmind/AQuA/26b64ed1f22208c6742f47df547dfd65088ec30d";

const answer = { kind: "letter", letters: "ABCDE" } as const;

const row: z.ZodType<RowProblem> = z
  .object({
    question: text,
    options: z.array(z.string()).length(5),
    rationale: z.string().optional(),
    correct: z.enum(["A", "B", "C", "D", "E"]),
  })
  .transform(({ question, options, rationale, correct }) => {
    const choices = options.map((option) => option.replace(/^[A-E]\)/, "").trim());
    return {
      question,
      gold: correct,
      choices,
      grading: answer,
      ...(rationale !== undefined && { solution: rationale }),
    };
  });

export const aqua: Benchmark = {
  name: "aqua",
  title: "AQuA-RAT",
  about: "Algebraic word problems with five options.",
  licence: "Apache-2.0",
  source: "https://github.com/google-deepmind/AQuA",
  answer,
  gold: "`correct`, a letter from A to E",
  traps: [
    "The `.json` files are JSON lines, and options already begin with `A)`.",
    "There are five options: an extractor limited to A-D loses 13 % of the test.",
  ],
  defaultSplit: "test",
  splits: {
    test: {
      rows: 254,
      files: [
        {
          path: "aqua/test.json",
          url: `${at}/test.json`,
          bytes: 130_192,
          sha256: "de41581881ef95c5588c44ddc701c77fd480839241dd422a0d181262af24520c",
        },
      ],
      hub: { repo: "deepmind/aqua_rat", files: ["raw/test-*.parquet"] },
    },
    dev: {
      rows: 254,
      pool: true,
      files: [
        {
          path: "aqua/dev.json",
          url: `${at}/dev.json`,
          bytes: 132_008,
          sha256: "4a52301d8a49ae0b286f8e697f9c5da1b109b247b825b47b4c6de34312dceec5",
        },
      ],
      hub: { repo: "deepmind/aqua_rat", files: ["raw/validation-*.parquet"] },
    },
  },
  row,
};
