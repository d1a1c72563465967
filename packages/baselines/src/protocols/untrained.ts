import { benchmarkLine, noShots, type Protocol } from "./protocol.ts";

const flow = {
  version: 2,
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
    roles: [
      { seat: "collaborator", duty: "says what is asked, what matters and what is easily missed" },
      { seat: "actor" },
    ],
    phases: { hint: {}, answer: {} },
    prompts: ["The prompts of the team that is trained.", "The hint stands in brackets behind the question."],
    hears: "The actor reads the hint.",
    dealing: { kind: "among", seats: ["collaborator", "actor"] },
    calls: { least: 2, most: 2 },
    differs: [],
  },
];

/** AgentPO's critic flow. */
export const criticProtocols: readonly Protocol<"critique" | "answer">[] = [
  {
    ...flow,
    id: "critic/untrained",
    roles: [{ seat: "actor" }, { seat: "critic", duty: "points out errors and gaps" }],
    phases: { critique: {}, answer: {} },
    prompts: ["The prompts of the team that is trained.", "The critic writes no solution of its own."],
    hears: "The critic reads the draft; the actor reads its draft and the criticism.",
    dealing: { kind: "among", seats: ["actor", "critic"] },
    calls: { least: 3, most: 3 },
    differs: [],
  },
];
