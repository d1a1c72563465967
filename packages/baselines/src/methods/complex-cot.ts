import { methodOf } from "../playing/method-of.ts";
import { copiesToOne, repliesToOne, samplesOf } from "../playing/single.ts";
import type { Baseline } from "../protocols/baseline.ts";
import { noShots, onMaths, oneSolver, type Protocol } from "../protocols/protocol.ts";

const greedy = {
  ...oneSolver,
  source: "Fu et al. 2023; Progressive-Hint@aca5acc6, Complex CoT prompts",
  published: "complex-cot",
  phases: { answer: { shots: true } },
  shots: { count: 8, form: "chains", select: "most-steps" },
  prompts: [
    "The worked solutions with most steps of the whole training split, a step being a line; then the question.",
    "A step a line is asked for, so that steps can be counted.",
  ],
  labels: { temperature: "C", shots: "C", prompts: "C", calls: "C" },
} as const satisfies Partial<Protocol>;

const withoutSolutions =
  "There are no worked training solutions to choose by their steps: the instruction alone asks for them.";

/** Chain of thought by the most complex examples: one reply. */
const complexCotProtocols: readonly Protocol<"answer">[] = [
  {
    ...greedy,
    id: "complex-cot/worked",
    families: ["maths", "text"],
    scripts: onMaths("complex-word", "complex-math"),
    differs: [],
  },
  {
    ...greedy,
    id: "complex-cot/aqua",
    families: ["choice"],
    benchmarks: ["aqua"],
    scripts: { aqua: "complex-aqua" },
    differs: [],
  },
  {
    ...greedy,
    id: "complex-cot/zero-shot",
    families: ["choice", "code"],
    shots: noShots,
    differs: [withoutSolutions],
  },
];

const sampling = {
  temperature: 0.7,
  samples: 50,
  votes: { kind: "plurality", kept: 40 },
  calls: { least: 50, most: 50 },
  labels: { temperature: "S", shots: "C", prompts: "C", samples: "S", votes: "S", calls: "S" },
} as const;
const table = "The published row is one greedy reply, not the vote of fifty.";

/** Its sampling form: 50 chains, of which the 40 with most steps vote. */
const sampledComplexCotProtocols: readonly Protocol<"answer">[] = complexCotProtocols.map((protocol) => ({
  ...protocol,
  ...sampling,
  id: protocol.id.replace("complex-cot/", "complex-cot/sampled-"),
  differs: [...protocol.differs, table],
}));

/** What its prompts ask for, also without examples: steps that can be counted. */
export const stepALine = "Reason in as many small steps as it takes, one step a line.";

function complex(name: string, title: string, protocols: typeof complexCotProtocols): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => repliesToOne("complex-cot", protocol, options, stepALine),
    maxCalls: samplesOf,
    maxCopies: copiesToOne,
  });
}

/** Chain of thought with the most complex examples of the training split. */
export const complexCot: Baseline = complex("complex-cot", "Complex CoT", complexCotProtocols);

/** Its sampling form: of many chains those with most steps vote. */
export const complexCotSampled: Baseline = complex(
  "complex-cot:sampled",
  "Complex CoT, 50 chains",
  sampledComplexCotProtocols,
);

/** Five samples of its prompt and their plurality: AgentPrune's row SC (ComplexCoT). */
export const complexCotVotes: Baseline = complex(
  "sc:complex-cot",
  "Self-Consistency on Complex CoT",
  complexCotProtocols.map((protocol) => ({
    ...protocol,
    id: protocol.id.replace("complex-cot/", "sc/complex-"),
    source: "Wang et al. 2023 on Complex CoT; the row SC (ComplexCoT) of AgentPrune's Table 1",
    published: "sc-complex-cot",
    temperature: 0.7,
    samples: 5,
    votes: { kind: "plurality" },
    calls: { least: 5, most: 5 },
    labels: { ...protocol.labels, temperature: "K", samples: "S", votes: "K", calls: "S" },
    differs: [...protocol.differs, "How many samples the published row takes was not checked: five are taken."],
  })),
);
