import {
  benchmarkLine,
  labelled,
  noShots,
  onePiece,
  onFunctions,
  onMaths,
  onMmlu,
  type Partition,
  type Protocol,
  type Role,
} from "../protocols/protocol.ts";
import type { DylanPhase } from "./debate.ts";

const source = "Liu et al. 2023; DyLAN@572341b5";

/** The seven candidates for MMLU. */
const experts: readonly Role[] = [
  { slot: "agent-1", title: "economist", duty: "Think of incentives, markets and figures." },
  { slot: "agent-2", title: "doctor", duty: "Think of the body, of illness and of evidence for treatments." },
  { slot: "agent-3", title: "lawyer", duty: "Think of rules, precedents and exact words." },
  { slot: "agent-4", title: "mathematician", duty: "Think in definitions, and check every calculation." },
  { slot: "agent-5", title: "psychologist", duty: "Think of how people feel, learn and behave." },
  { slot: "agent-6", title: "programmer", duty: "Think in algorithms and precise steps." },
  { slot: "agent-7", title: "historian", duty: "Think of dates, sources and what led to what." },
];

const writers: readonly Role[] = [
  { slot: "writer-1", title: "Python assistant", duty: "Write Python that does what the description says." },
  { slot: "writer-2", title: "algorithm developer", duty: "Choose the algorithm with care, then write it in Python." },
  { slot: "writer-3", title: "computer scientist", duty: "Write fast Python that is right in edge cases." },
  { slot: "writer-4", title: "programmer", duty: "Complete the Python function in the form that is given." },
];

/** The fourth, the passer, is a tool. */
const judges: readonly Role[] = [
  { slot: "tester", duty: "Writes assertions from the description; they are run on every program." },
  { slot: "reflector", duty: "Comments on every program, and scores it." },
  { slot: "judge-ranker", duty: "Names the two programs that writers get to read." },
];

const amongAgents: Partition = { kind: "among", slots: ["agent"] };
const consensus = { kind: "consensus", above: 2 / 3 } as const;
const hears =
  "All replies of the layer before, the agent's own included, shuffled and numbered, without names; in layer 3 two agents alone go on, whom the ranker named.";
const labels = labelled(
  "C",
  "roles",
  "temperature",
  "maxTokens",
  "agents",
  "rounds",
  "prompts",
  "hears",
  "stops",
  "votes",
  "calls",
);
const phases = { reply: { maxTokens: 2048 }, rank: { maxTokens: 2048 }, judge: { maxTokens: 2048 } };

/** Agents and replies are shuffled as in the other scripts; the one for MATH keeps their order, which says nothing where all are alike. */
const maths: Protocol<DylanPhase> = {
  id: "dylan/maths",
  version: 1,
  scripts: onMaths("dylan-math", "dylan-math"),
  families: ["maths"],
  source: `${source}, code/MATH`,
  published: "dylan",
  roles: [{ slot: "agent" }],
  temperature: 0.2,
  phases: { ...phases, reply: { ...phases.reply, shots: true }, rank: { ...phases.rank, shots: true } },
  shots: { count: 8, form: "chains", select: "seeded" },
  agents: 4,
  rounds: 3,
  prompts: [
    "All debaters are told the same, and to end as the benchmark asks.",
    "Every call shows the worked examples.",
    "Nobody scores anybody: the script for MATH asks for no scores.",
    "Where the two that were ranked best agree, there is no layer 3.",
  ],
  answerLine: benchmarkLine,
  hears:
    "All replies of the layer before, the agent's own included, shuffled and numbered, without names; in layer 3 two agents alone go on, whom the ranker named, and read these two.",
  partition: amongAgents,
  stops: consensus,
  votes: { kind: "plurality" },
  calls: { least: 3, most: 11 },
  labels: { ...labels, shots: "C" },
  differs: ["Where a ranking cannot be read two are drawn; the script for MATH takes the first two."],
};

const words: Protocol<DylanPhase> = {
  ...maths,
  id: "dylan/words",
  benchmarks: ["gsm8k", "multiarith", "svamp"],
  differs: [...maths.differs, "The released code plays no word problems: its script for MATH does."],
};

const choice: Protocol<DylanPhase> = {
  id: "dylan/choice",
  version: 1,
  scripts: onMmlu("dylan-choice"),
  families: ["choice"],
  source: `${source}, code/MMLU`,
  published: "dylan",
  roles: experts,
  temperature: 1,
  phases,
  shots: noShots,
  agents: 7,
  rounds: 3,
  prompts: [
    "Each agent is told its role, and to end as the benchmark asks.",
    "From layer 2 on a reply scores each reply that it read from 1 to 5, in double brackets.",
  ],
  answerLine: benchmarkLine,
  hears,
  partition: amongAgents,
  stops: consensus,
  votes: { kind: "plurality" },
  calls: { least: 5, most: 17 },
  labels,
  differs: [],
};

/**
 * The released code draws the answer from the first layer's programs alone, and takes every writer of the last layer for right when it
 * computes importance; here all layers are in the draw, and importance follows the programs that are the answer.
 */
const code: Protocol<DylanPhase> = {
  id: "dylan/code",
  version: 1,
  scripts: onFunctions("dylan-code"),
  families: ["code"],
  source: `${source}, code/HumanEval`,
  published: "dylan",
  roles: [...writers, ...judges],
  temperature: 0.8,
  phases: { reply: { maxTokens: 1024 }, rank: { maxTokens: 1024 }, judge: { maxTokens: 1024 } },
  shots: noShots,
  agents: 4,
  rounds: 3,
  prompts: [
    "Writers are told their role. The tester sees the description alone, the reflector and the rankers all programs of a layer.",
    "From layer 2 on a writer reads the two programs that the judges' ranker named, each with its syntax check, test results and reflection, and scores how much these three helped, in double brackets.",
    "The syntax check runs the program and costs no call.",
  ],
  answerLine: benchmarkLine,
  hears:
    "Writers hear judges, judges hear all writers of the layer before, shuffled and numbered, without names; in layer 3 two writers alone go on, whom the ranker named.",
  partition: onePiece,
  stops: consensus,
  votes: { kind: "plurality" },
  runsPrograms: true,
  calls: { least: 10, most: 17 },
  labels,
  differs: [],
};

const text: Protocol<DylanPhase> = {
  ...maths,
  scripts: {},
  id: "dylan/text",
  families: ["text"],
  published: null,
  differs: ["No paper plays it on free answers: the debaters of MATH do."],
};

/**
 * DyLAN by kind of question. Where the released code departs from the paper, the paper's rule holds: the ranked agents go on
 * (`dylan/position-mask`), a ranking that names one twice is none, letters are those of the benchmark (`dylan/aqua-e`).
 */
export const dylanProtocols: readonly Protocol<DylanPhase>[] = [maths, words, choice, code, text];

const chosenOnWhole: Partition = {
  kind: "whole",
  reason: "Its team is chosen on questions that more candidates than its agents have seen.",
};

/** DyLAN with a team that is chosen first: only MMLU has more candidates than agents. */
export const dylanSelectProtocols: readonly Protocol<DylanPhase>[] = dylanProtocols.map((protocol) => ({
  ...protocol,
  id: protocol.id.replace("dylan", "dylan:selected"),
  published: null,
  partition: chosenOnWhole,
  ...(protocol === choice && {
    agents: 4,
    // At most 11 where four play, 17 while all seven are tried.
    calls: { least: 3, most: 17 },
    labels: { ...protocol.labels, agents: "K" as const },
  }),
  differs: [
    ...protocol.differs,
    protocol === choice
      ? "Four of the seven play the test: how many do so in the paper was not checked."
      : "There are no more candidates than agents: nobody is chosen, and nothing is asked for it.",
  ],
}));
