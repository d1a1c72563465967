import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { gold, text } from "./rows.ts";

const row: z.ZodType<RowProblem> = z
  .object({ ID: text, Body: text, Question: text, Answer: gold, Type: z.string().optional() })
  .transform(({ ID, Body, Question, Answer, Type }) => ({
    id: `svamp/${ID}`,
    question: `${Body}${/[.!?]$/.test(Body) ? " " : ". "}${Question}`,
    gold: Answer,
    grading: { kind: "numeric" } as const,
    ...(!/[.!?]$/.test(Body) && { published: `${Body} ${Question}` }),
    ...(Type !== undefined && { metadata: { type: Type } }),
  }));

export const svamp: Benchmark = {
  name: "svamp",
  title: "SVAMP",
  about: "Short word problems, varied so that shallow patterns fail; the answer is one whole number.",
  licence: "MIT",
  source: "https://github.com/arkilpatel/SVAMP (all 1,000); hub ChilleD/SVAMP (300 of them)",
  answer: { kind: "numeric" },
  gold: "`Answer`",
  traps: [
    "The text is `Body` and `Question`; 358 bodies lack end punctuation and get a full stop, but in published words, which put none.",
    "All answers are whole and not negative, stored as floats.",
    "SVAMP-1000 is not the hub's SVAMP-300: name the split beside every score.",
  ],
  defaultSplit: "all",
  examplesFrom: "gsm8k",
  calibrateFrom: { benchmark: "gsm8k", split: "train" },
  splits: {
    all: {
      rows: 1000,
      files: [
        {
          path: "svamp/SVAMP.json",
          url: "https://raw.githubusercontent.com/arkilpatel/SVAMP/689d7ccac74b9983a2ac7cc3b264f441b99e7c53/SVAMP.json",
          bytes: 339_970,
          sha256: "5be77703a6d891ae476d7c082787ad361392aa02453b132516cdd5f4e7934e3e",
        },
        {
          path: "svamp/qwen-test.jsonl",
          url: "https://raw.githubusercontent.com/QwenLM/Qwen2.5-Math/a45202bd16f1ec06f433442dc1152d0074773465/evaluation/data/svamp/test.jsonl",
          bytes: 280_029,
          sha256: "d0826ff1264f3860e46fc4e71db9e31d2d188960db87090e22677f9493e67a0d",
        },
      ],
    },
    test: { rows: 300, hub: { repo: "ChilleD/SVAMP", files: ["**test*"] } },
    train: { rows: 700, pool: true, hub: { repo: "ChilleD/SVAMP", files: ["**train*"] } },
  },
  row,
};
