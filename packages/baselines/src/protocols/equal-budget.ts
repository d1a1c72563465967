import { oneAgent } from "./partition.ts";
import { benchmarkLine, noShots, type Protocol } from "./protocol.ts";

const single = {
  version: 2,
  families: ["maths", "choice", "code", "text"],
  published: null,
  roles: [{ slot: "solver" }],
  temperature: 0.7,
  shots: noShots,
  answerLine: benchmarkLine,
  partition: oneAgent,
  stops: { kind: "fixed" },
  labels: {},
  differs: [],
} as const satisfies Partial<Protocol>;

/** What a team has to beat: one agent that samples for as many tokens, prompt and completion together. */
export const equalVotesProtocols: readonly Protocol<"answer">[] = [
  {
    ...single,
    id: "equal-budget/votes",
    source: "Laconic; self-consistency bounded by the mean tokens of a team",
    phases: { answer: { shots: true } },
    samples: 64,
    prompts: [
      "One instruction to reason step by step; then the question.",
      "Samples begin while tokens of the team's mean are left.",
    ],
    hears: "Nobody.",
    votes: { kind: "plurality" },
    calls: { least: 1, most: 64 },
  },
];

/** The same tokens in one chat. */
export const equalThoughtProtocols: readonly Protocol<"answer">[] = [
  {
    ...single,
    id: "equal-budget/thought",
    source:
      "Laconic; one chat bounded by the mean tokens of a team, gone on with as in budget forcing (Muennighoff et al. 2025)",
    phases: { answer: {} },
    prompts: [
      "It is told how many tokens it has; a reply may be as long as they allow.",
      "Where it ends early, it is asked to go on.",
    ],
    hears: "Nobody; it goes on in its own chat.",
    votes: { kind: "last" },
    calls: { least: 1, most: 8 },
  },
];
