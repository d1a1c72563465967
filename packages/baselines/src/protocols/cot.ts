import { oneAgent } from "./partition.ts";
import { benchmarkLine, noShots, type Protocol } from "./protocol.ts";

const chain = {
  version: 1,
  published: "cot",
  roles: [{ slot: "solver" }],
  temperature: 0,
  phases: { answer: { shots: true } },
  answerLine: benchmarkLine,
  hears: "Nobody.",
  partition: oneAgent,
  stops: { kind: "fixed" },
  votes: { kind: "last" },
  calls: { least: 1, most: 1 },
  labels: { temperature: "C", shots: "C", prompts: "C", calls: "C" },
} as const satisfies Partial<Protocol>;

const worked = {
  ...chain,
  source: "Wei et al. 2022; Progressive-Hint@aca5acc6, CoT prompts",
  prompts: ["Worked solutions of training questions, each with the answer line at its end; then the question."],
} as const;

/** Eight worked solutions for word problems, four for AQuA; without training solutions the zero-shot form of multi-agent papers. */
export const cotProtocols: readonly Protocol<"answer">[] = [
  {
    ...worked,
    id: "cot/maths",
    families: ["maths", "text"],
    shots: { count: 8, form: "chains", select: "seeded" },
    differs: [],
  },
  {
    ...worked,
    id: "cot/aqua",
    families: ["choice"],
    benchmarks: ["aqua"],
    shots: { count: 4, form: "chains", select: "seeded" },
    differs: [],
  },
  {
    ...chain,
    id: "cot/zero-shot",
    families: ["choice", "code"],
    source: "Kojima et al. 2022; what multi-agent papers call CoT",
    shots: noShots,
    prompts: ["One instruction to reason step by step; then the question."],
    labels: { temperature: "C", shots: "S", prompts: "S", calls: "C" },
    differs: [],
  },
];
