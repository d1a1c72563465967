import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { gold, text } from "./rows.ts";

const problem = (question: string, answer: string): RowProblem => ({
  question,
  gold: answer,
  grading: { kind: "numeric" },
});

const row: z.ZodType<RowProblem> = z.union([
  z
    .object({ sQuestion: text, lSolutions: z.tuple([gold], z.unknown()) })
    .transform((each) => problem(each.sQuestion, each.lSolutions[0])),
  z.object({ question: text, final_ans: gold }).transform((each) => problem(each.question, each.final_ans)),
  z.object({ input: text, target: gold }).transform((each) => problem(each.input, each.target)),
]);

export const multiarith: Benchmark = {
  name: "multiarith",
  title: "MultiArith",
  about: "Word problems of several arithmetic steps whose answer is one whole number.",
  licence: "none stated",
  source: "https://github.com/chuanyang-Zheng/Progressive-Hint (all 600); hub ChilleD/MultiArith (180 of them)",
  answer: { kind: "numeric" },
  gold: "`lSolutions[0]`; on the hub `final_ans`",
  traps: [
    "600 rows hold 580 distinct questions. We score rows.",
    "Questions have stray spaces at both ends; golds are whole numbers stored as floats.",
    "The split `test` of the hub has 180 rows: name the split beside every score.",
  ],
  defaultSplit: "all",
  examplesFrom: "gsm8k",
  calibrateFrom: { benchmark: "gsm8k", split: "train" },
  splits: {
    all: {
      rows: 600,
      files: [
        {
          path: "multiarith/MultiArith.json",
          url: "https://raw.githubusercontent.com/chuanyang-Zheng/Progressive-Hint/aca5acc6bbdede3eee79d7e4f6b0445f5f9b4c43/dataset/MultiArith/MultiArith.json",
          bytes: 254_012,
          sha256: "dc9db1b6cc68b1ecc2dec830d15aaf8c9a0932aa31d5ffce88ef3628179d36f4",
        },
        {
          path: "multiarith/qwen-mawps-multiarith.jsonl",
          url: "https://raw.githubusercontent.com/QwenLM/Qwen2.5-Math/a45202bd16f1ec06f433442dc1152d0074773465/evaluation/data/mawps/multiarith.jsonl",
          bytes: 109_522,
          sha256: "12e8295088364af21fb6591dbdbd1dda452aade57227f63d725677471ded2951",
        },
      ],
    },
    test: { rows: 180, hub: { repo: "ChilleD/MultiArith", files: ["**test*"] } },
    train: { rows: 420, pool: true, hub: { repo: "ChilleD/MultiArith", files: ["**train*"] } },
  },
  row,
};
