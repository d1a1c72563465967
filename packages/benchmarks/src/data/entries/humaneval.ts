import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { text } from "./rows.ts";

const code = z.string().min(1);

const row: z.ZodType<RowProblem> = z
  .object({ task_id: text, prompt: code, entry_point: text, canonical_solution: code.optional(), test: code })
  .transform(({ task_id: id, prompt, entry_point: entryPoint, canonical_solution: solution, test }) => ({
    id,
    question: prompt,
    gold: test,
    grading: { kind: "code", prompt, test, entryPoint } as const,
    ...(solution !== undefined && { solution }),
  }));

export const humaneval: Benchmark = {
  name: "humaneval",
  title: "HumanEval",
  about: "Python functions to complete from signature and docstring, judged by hidden tests.",
  licence: "MIT",
  source: "https://github.com/openai/human-eval",
  answer: { kind: "code" },
  gold: "`test`, then `check(entry_point)`",
  traps: [
    "Upstream's guard is no security sandbox; we run candidates in ours.",
    "With the verdict taken from the exit code, `sys.exit(0)` passes. Ours runs tests and program in two interpreters that never meet.",
    "The 161-row set of AgentPrune (`humaneval-161`) is another benchmark: never mix them in one table.",
  ],
  defaultSplit: "test",
  calibrateFrom: { benchmark: "mbpp", split: "train" },
  splits: {
    test: {
      rows: 164,
      files: [
        {
          path: "humaneval/HumanEval.jsonl.gz",
          url: "https://raw.githubusercontent.com/openai/human-eval/6d43fb980f9fee3c892a914eda09951f772ad10d/data/HumanEval.jsonl.gz",
          bytes: 44_877,
          sha256: "b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef",
        },
      ],
      hub: { repo: "openai/openai_humaneval", files: ["**test-*.parquet"] },
    },
  },
  row,
};

const row161: z.ZodType<RowProblem> = z
  .object({ name: text, prompt: code, entry_point: text, test: code })
  .transform(({ name, prompt, entry_point: entryPoint, test }) => ({
    id: `humaneval-161/${name}`,
    question: prompt,
    gold: test,
    grading: { kind: "code", prompt, test, entryPoint, testCallsItself: true, published: "agent-prune" } as const,
  }));

export const humaneval161: Benchmark = {
  name: "humaneval-161",
  title: "HumanEval-161",
  about: "HumanEval as AgentPrune scores it: 161 of the 164 functions.",
  licence: "none stated (AgentPrune); HumanEval itself MIT",
  source: "https://github.com/yanweiyue/AgentPrune",
  answer: { kind: "code" },
  gold: "`test`, which calls itself",
  traps: [
    "Tasks 32, 38 and 50 are missing, and each test calls the checker already.",
    "Never mix it with the 164 rows of `humaneval` in one table.",
  ],
  defaultSplit: "test",
  calibrateFrom: { benchmark: "mbpp", split: "train" },
  splits: {
    test: {
      rows: 161,
      files: [
        {
          path: "humaneval/agentprune-humaneval-py.jsonl",
          url: "https://raw.githubusercontent.com/yanweiyue/AgentPrune/c544dd6a1858c02c6d5d371d23c6e6ff55e0be21/dataset/humaneval/humaneval-py.jsonl",
          bytes: 205_649,
          sha256: "74a24f601800a3f94d3d9014fdc8c2a149b36806e2847eb251615dab16c60004",
        },
      ],
    },
  },
  row: row161,
};

export const coopHumaneval: Benchmark = {
  name: "coophumaneval",
  title: "CoopHumanEval",
  about: "Python functions for two writers: a helper `aux`, and a main function that may call it.",
  licence: "none stated by the host; the upstream data card says Apache-2.0",
  source: "https://github.com/OpenMLRL/LLM_Collab_Code_Generation; hub OpenMLRL/CoopHumanEval",
  answer: { kind: "code" },
  gold: "`test`, then `check(entry_point)`",
  traps: [
    "There are no reference solutions, and upstream took the file down.",
    "75 of the 82 tests have five asserts.",
  ],
  defaultSplit: "test",
  calibrateFrom: { benchmark: "mbpp", split: "train" },
  splits: {
    test: {
      rows: 82,
      files: [
        {
          path: "coophumaneval/che_raw.json",
          url: "https://raw.githubusercontent.com/shady-cs15/LLM_Collab_Code_Generation/6e1bd1109ebd4d6ce2bbe40745946050d8434646/data/che_raw.json",
          bytes: 65_457,
          sha256: "588f223a094f34e6c76bb5e7bff7f42b4dc503268d6826b2ca23e6455901fa48",
        },
      ],
      hub: { repo: "OpenMLRL/CoopHumanEval", files: ["**test*"] },
    },
  },
  row,
};
