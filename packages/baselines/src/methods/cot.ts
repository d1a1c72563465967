import { methodOf } from "../playing/method-of.ts";
import { copiesToOne, repliesToOne, samplesOf } from "../playing/single.ts";
import { stepByStep } from "../prompts/chat.ts";
import type { Baseline } from "../protocols/baseline.ts";
import { noShots, onWords, oneSolver, type Protocol } from "../protocols/protocol.ts";

const chain = {
  ...oneSolver,
  published: "cot",
  phases: { answer: { shots: true } },
  labels: { temperature: "C", shots: "C", prompts: "C", calls: "C" },
} as const satisfies Partial<Protocol>;

const worked = {
  ...chain,
  source: "Wei et al. 2022; Progressive-Hint@aca5acc6, CoT prompts",
  prompts: ["Worked solutions of training questions, each with the answer line at its end; then the question."],
} as const;

/** Eight worked solutions for word problems, four for AQuA, five of its own category for MMLU-Pro; without training solutions the zero-shot form of multi-agent papers. */
const cotProtocols: readonly Protocol<"answer">[] = [
  {
    ...worked,
    id: "cot/maths",
    families: ["maths", "text"],
    scripts: onWords("cot-word"),
    shots: { count: 8, form: "chains", select: "seeded" },
    differs: [],
  },
  {
    ...worked,
    id: "cot/aqua",
    families: ["choice"],
    benchmarks: ["aqua"],
    scripts: { aqua: "cot-aqua" },
    shots: { count: 4, form: "chains", select: "seeded" },
    differs: [],
  },
  {
    ...worked,
    id: "cot/mmlu-pro",
    families: ["choice"],
    benchmarks: ["mmlu-pro"],
    source: "MMLU-Pro@05c6997b, evaluate_from_local.py",
    published: null,
    phases: { answer: { shots: true, maxTokens: 2048 } },
    shots: { count: 5, form: "chains", select: "same-topic" },
    labels: { ...chain.labels, maxTokens: "C" },
    differs: ["The authors' script shows fewer examples where a prompt grows beyond 2,048 tokens."],
  },
  {
    ...chain,
    id: "cot/zero-shot",
    families: ["choice", "code"],
    source: "Kojima et al. 2022; what multi-agent papers call CoT",
    shots: noShots,
    prompts: ["One instruction to reason step by step; then the question."],
    labels: { temperature: "C", shots: "S", prompts: "S", calls: "C" },
    differs: ["Whether the published figure is zero-shot is not stated."],
  },
];

/**
 * Chain of thought: worked examples where there are any, else the instruction to reason step by step, which is what
 * multi-agent papers mean by the name.
 */
export const cot: Baseline = methodOf({
  name: "cot",
  title: "CoT",
  protocols: cotProtocols,
  create: (protocol, options) => repliesToOne("cot", protocol, options, stepByStep),
  maxCopies: copiesToOne,
});

/** Samples of the CoT prompt and their plurality. */
function votes(
  name: string,
  title: string,
  samples: number,
  given: (protocol: Protocol<"answer">) => Pick<Protocol, "source" | "id" | "labels" | "differs">,
  published: string | null = "sc",
): Baseline {
  return methodOf({
    name,
    title,
    protocols: cotProtocols.map((protocol) => ({
      ...protocol,
      ...given(protocol),
      published,
      temperature: 0.7,
      votes: { kind: "plurality" },
      samples,
      calls: { least: samples, most: samples },
    })),
    create: (protocol, options) => repliesToOne("sc", protocol, options, stepByStep),
    maxCalls: samplesOf,
    maxCopies: copiesToOne,
  });
}

/** Samples of one prompt, and the plurality of their answers: five, as multi-agent papers take. */
export const selfConsistency: Baseline = votes("sc", "Self-Consistency", 5, ({ id, labels, differs }) => ({
  source: "Wang et al. 2023; N = 5 as ADAS@2702bee8 and the tables of multi-agent papers",
  id: id.replace("cot/", "sc/"),
  labels: { ...labels, temperature: "K", samples: "S", votes: "K", calls: "S" },
  differs: [...differs, "Which prompt the published row samples is not stated; CoT's is taken."],
}));

/** Forty samples, as the original. */
export const selfConsistency40: Baseline = votes(
  "sc:40",
  "Self-Consistency, 40 samples",
  40,
  (protocol) => ({
    source: "Wang et al. 2023",
    id: protocol.id.replace("cot/", "sc/40-"),
    labels: { ...protocol.labels, temperature: "K", samples: "K", votes: "K", calls: "K" },
    differs: [...protocol.differs, "Tables of multi-agent papers take five samples."],
  }),
  null,
);
