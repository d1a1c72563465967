import { benchmarkLine, noShots, type Protocol } from "./protocol.ts";

const flow = {
  version: 1,
  families: ["maths", "choice", "code", "text"],
  source: "AgentPO (ICLR 2026), before training",
  published: null,
  temperature: 0,
  shots: noShots,
  answerLine: benchmarkLine,
  stops: { kind: "fixed" },
  votes: { kind: "last" },
  labels: { hears: "S", calls: "S" },
} as const satisfies Partial<Protocol>;

/** AgentPO's hint flow. */
export const hintProtocols: readonly Protocol<"hint" | "answer">[] = [
  {
    ...flow,
    id: "hint/untrained",
    roles: [{ seat: "collaborator", duty: "says what is asked and what matters" }, { seat: "actor" }],
    phases: { hint: {}, answer: {} },
    prompts: ["The hint stands in brackets behind the question."],
    hears: "The actor reads the hint.",
    calls: { least: 2, most: 2 },
    differs: [],
  },
];

/** AgentPO's critic flow. */
export const criticProtocols: readonly Protocol<"draft" | "critique" | "revise">[] = [
  {
    ...flow,
    id: "critic/untrained",
    roles: [{ seat: "actor" }, { seat: "critic", duty: "points out errors and gaps" }],
    phases: { draft: {}, critique: {}, revise: {} },
    prompts: ["The critic writes no solution of its own."],
    hears: "The critic reads the draft; the actor reads its draft and the criticism.",
    calls: { least: 3, most: 3 },
    differs: [],
  },
];

/** What a team has to beat: one agent that samples for as many tokens. */
export const equalBudgetProtocols: readonly Protocol<"answer">[] = [
  {
    ...flow,
    id: "equal-budget/votes",
    source: "Laconic; self-consistency bounded by prompt and completion tokens",
    roles: [{ seat: "solver" }],
    temperature: 0.7,
    phases: { answer: { shots: true } },
    samples: 64,
    prompts: ["One instruction to reason step by step; then the question."],
    hears: "Nobody.",
    votes: { kind: "plurality" },
    calls: { least: 1, most: 64 },
    labels: {},
    differs: [],
  },
];
