import { oneAgent } from "./partition.ts";
import { benchmarkLine, noShots, type Protocol, type Shots } from "./protocol.ts";

/** Which hints the eight examples carry: the right answer, a wrong one, or both. */
const hints = [
  ["right"],
  ["wrong", "wrong"],
  ["wrong", "wrong"],
  ["right", "wrong"],
  ["right", "wrong"],
  ["wrong"],
  ["wrong"],
  ["right"],
] as const;

const shots: Shots = { count: 8, form: "hints", select: "most-steps", hints };

const progressive = {
  version: 1,
  source: "Zheng et al. 2023; Progressive-Hint@aca5acc6",
  published: "php",
  roles: [{ slot: "solver" }],
  temperature: 0,
  phases: { base: { maxTokens: 1024, shots: true }, hinted: { maxTokens: 1024, shots: true } },
  shots,
  rounds: 10,
  prompts: [
    "First the Complex CoT prompt.",
    "Then examples that carry hints, and the question with a hint behind it: every earlier answer, in order, with commas.",
    "Letters stand in parentheses; numbers lose trailing zeros.",
    "An answer that cannot be read is no hint.",
  ],
  answerLine: benchmarkLine,
  hears: "Nobody; its own earlier answers come back as hints.",
  partition: oneAgent,
  stops: { kind: "equal-answers", last: 2 },
  votes: { kind: "last" },
  calls: { least: 2, most: 10 },
  labels: {
    temperature: "C",
    maxTokens: "C",
    shots: "C",
    prompts: "C",
    hears: "C",
    stops: "C",
    votes: "C",
    calls: "A",
  },
} as const satisfies Partial<Protocol>;

/** Hints until two answers in a row are equal. The released code has no end (`php/unbounded`); here it is ten calls, noted as `capped`. */
export const phpProtocols: readonly Protocol<"base" | "hinted">[] = [
  { ...progressive, id: "php/maths", families: ["maths"], differs: [] },
  { ...progressive, id: "php/aqua", families: ["choice"], benchmarks: ["aqua"], differs: [] },
  {
    ...progressive,
    id: "php/choice",
    families: ["choice"],
    shots: { ...shots, count: 0 },
    differs: ["The paper plays no MMLU, which has no worked solutions: the hint stands without examples."],
  },
  {
    ...progressive,
    id: "php/code",
    families: ["code"],
    shots: { ...noShots, form: "hints" },
    differs: [
      "The paper plays no code: the hint is the earlier programs, quoted one after the other, and two programs are equal when their texts are.",
    ],
  },
  {
    ...progressive,
    id: "php/text",
    families: ["text"],
    differs: ["The paper plays no free answers: the form for maths is taken."],
  },
];
