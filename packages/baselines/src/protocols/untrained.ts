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
      { slot: "collaborator", duty: "says what is asked, what matters and what is easily missed" },
      { slot: "actor" },
    ],
    phases: { hint: {}, answer: {} },
    prompts: ["The prompts of the team that is trained.", "The hint stands in brackets behind the question."],
    hears: "The actor reads the hint.",
    partition: { kind: "among", slots: ["collaborator", "actor"] },
    calls: { least: 2, most: 2 },
    differs: [],
  },
];

/** AgentPO's critic flow. */
export const criticProtocols: readonly Protocol<"critique" | "answer">[] = [
  {
    ...flow,
    id: "critic/untrained",
    roles: [{ slot: "actor" }, { slot: "critic", duty: "points out errors and gaps" }],
    phases: { critique: {}, answer: {} },
    prompts: ["The prompts of the team that is trained.", "The critic writes no solution of its own."],
    hears: "The critic reads the draft; the actor reads its draft and the criticism.",
    partition: { kind: "among", slots: ["actor", "critic"] },
    calls: { least: 3, most: 3 },
    differs: [],
  },
];
