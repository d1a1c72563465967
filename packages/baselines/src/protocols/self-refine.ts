import { benchmarkLine, noShots, type Protocol } from "./protocol.ts";

type Phase = "draft" | "feedback" | "revise";

const reflexion = {
  version: 1,
  source: "Madaan et al. 2023; ADAS@2702bee8, Self-Refine (Reflexion)",
  published: "self-refine",
  roles: [{ slot: "solver" }, { slot: "critic", duty: "says what is wrong, and whether the answer is correct" }],
  temperature: 0.5,
  phases: { draft: { maxTokens: 1024 }, feedback: { maxTokens: 1024 }, revise: { maxTokens: 1024 } },
  shots: noShots,
  rounds: 5,
  prompts: [
    "The critic replies with JSON of two fields, `feedback` and `correct`.",
    "A revision reads all attempts and all feedback so far.",
  ],
  answerLine: benchmarkLine,
  hears:
    "The critic reads the question and the latest attempt alone; the solver reads its attempts and the feedback to each.",
  partition: {
    kind: "whole",
    reason: "One model criticises itself: a critic with a share of its own would be another agent.",
  },
  stops: { kind: "verdict", says: "True" },
  votes: { kind: "last" },
  calls: { least: 2, most: 11 },
  labels: {
    temperature: "C",
    maxTokens: "C",
    rounds: "C",
    prompts: "C",
    hears: "C",
    stops: "C",
    votes: "C",
    calls: "C",
  },
} as const satisfies Partial<Protocol>;

/** Criticism and revision as ADAS plays it; word problems by programs, as the paper's own code does. */
export const selfRefineProtocols: readonly Protocol<Phase>[] = [
  {
    ...reflexion,
    id: "self-refine/programs",
    families: ["maths"],
    benchmarks: ["gsm8k", "multiarith", "svamp"],
    source: "Madaan et al. 2023; self-refine@9a206d41, GSM8K",
    roles: [{ slot: "solver" }, { slot: "critic", duty: "says what is wrong, and writes the program anew" }],
    temperature: 0,
    phases: {
      draft: { maxTokens: 300 },
      feedback: { maxTokens: 600, temperature: 0.7 },
      revise: {},
    },
    rounds: 4,
    prompts: [
      "A Python function `solution` that returns the answer, with the question in its docstring.",
      "One call finds the error and writes the whole function anew.",
      "Each exchange stands before the next one as a further example.",
    ],
    answerLine: "What the last program prints.",
    hears: "The critic reads the latest program, and all exchanges before.",
    stops: { kind: "verdict", says: "it is correct" },
    runsPrograms: true,
    calls: { least: 2, most: 5 },
    labels: { ...reflexion.labels, answerLine: "C" },
    differs: ["The released prompts begin with worked programs; ours have none."],
  },
  { ...reflexion, id: "self-refine/reflexion", families: ["maths", "choice", "text"], differs: [] },
  {
    ...reflexion,
    id: "self-refine/reflexion-code",
    families: ["code"],
    differs: ["ADAS plays it on no functions to complete: its form for questions is taken."],
  },
];
