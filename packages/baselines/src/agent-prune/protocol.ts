import {
  benchmarkLine,
  type Family,
  noShots,
  onFunctions,
  onePiece,
  onMmlu,
  onWords,
  type Protocol,
  type Role,
} from "../protocols/protocol.ts";
import type { AgentPrunePhase } from "./graph-team.ts";

const paper = "Zhang et al. 2025 (arXiv 2410.02506)";
const repository = "AgentPrune@c544dd6a";

const seated = (roles: readonly Omit<Role, "slot">[]): Role[] => [
  ...roles.map((role, i) => ({ slot: `agent-${i + 1}`, ...role })),
  { slot: "decision", duty: "Decides on the answer from what the agents wrote in the last round." },
];

/** For GSM8K. */
const solvers = seated([
  { title: "Math Solver", duty: "Solve the problem; take a hint for what it is.", hears: "answers" },
  { title: "Mathematical Analyst", duty: "Set the problem up with variables, then put in the numbers." },
  {
    title: "Programming Expert",
    duty: "Write one Python program that computes the answer and prints it alone. Reply with the program in one Python code block.",
    runs: true,
  },
  { title: "Inspector", duty: "Check the steps, the calculations and the programs of the others, then answer." },
]);

/** For MMLU. */
const experts = seated([
  { title: "Knowledgeable Expert", duty: "Name the facts that the question rests on." },
  { title: "Critic", duty: "Look for what is wrong in the others' answers." },
  { title: "Mathematician", duty: "Check every calculation and definition." },
  { title: "Psychologist", duty: "Think of how people feel, learn and behave." },
  { title: "Historian", duty: "Think of dates, sources and what led to what." },
  { title: "Doctor", duty: "Think of the body, of illness and of treatments." },
  { title: "Lawyer", duty: "Think of rules, precedents and exact words." },
  { title: "Economist", duty: "Think of incentives, markets and figures." },
  { title: "Programmer", duty: "Think in algorithms and precise steps." },
]);

/** For HumanEval. */
const programmers = seated([
  {
    title: "Project Manager",
    duty: "Plan the function: its parts, its inputs and its results. Write no code.",
    answers: false,
  },
  { title: "Algorithm Designer", duty: "Choose the algorithm, and say how it goes, in steps.", answers: false },
  { title: "Programming Expert", duty: "Write the function." },
  { title: "Test Analyst", duty: "Find the inputs on which the others' programs fail, and say why.", answers: false },
  { title: "Bug Fixer", duty: "Mend what is wrong in the others' programs." },
]);

const rolesOf: Readonly<Record<Family, readonly Role[]>> = {
  maths: solvers,
  choice: experts,
  code: programmers,
  text: experts,
};

const prompts: Readonly<Record<Family, readonly string[]>> = {
  maths: [
    "The Math Solver is told the others' answers alone, as a hint.",
    "The Programming Expert's program is run, and what it prints goes with its reply.",
  ],
  choice: ["Everybody reads whole replies, not letters alone."],
  code: [
    "What a program came to on the question's examples stands behind it.",
    "An agent that hears a program which passes all examples passes it on, without a call.",
  ],
  text: ["Everybody reads whole replies."],
};

/** The released prompts. */
const scriptsOf: Readonly<Record<Family, Readonly<Record<string, string>>>> = {
  maths: onWords("agentprune-word"),
  choice: onMmlu("agentprune-choice"),
  code: onFunctions("agentprune-code"),
  text: {},
};

/** Where no facts go beyond the roles. */
const unlike: Readonly<Record<Family, readonly string[]>> = {
  maths: [],
  choice: [],
  code: [],
  text: ["No paper plays it on free answers: the roles of MMLU do."],
};

function protocolOf(
  family: Family,
  id: string,
  settings: Pick<Protocol, "source" | "published" | "agents" | "rounds" | "labels" | "differs">,
): Protocol<AgentPrunePhase> {
  const { agents = 5, rounds = 1 } = settings;
  const most = agents * rounds + 1;
  return {
    ...settings,
    id: `${id}/${family}`,
    version: 1,
    families: [family],
    published: family === "text" ? null : settings.published,
    roles: rolesOf[family],
    temperature: 1,
    phases: { reply: {}, decision: {} },
    shots: noShots,
    scripts: scriptsOf[family],
    prompts: ["Each agent is told its role, and to end as the benchmark asks.", ...prompts[family]],
    answerLine: benchmarkLine,
    hears:
      "Its predecessors of the round, and those of the round before, along the edges that are left; the decision hears all of the last round.",
    partition: family === "code" ? onePiece : { kind: "among", slots: ["agent"] },
    stops: { kind: "fixed" },
    votes: { kind: "decision", slot: "decision" },
    ...((family === "maths" || family === "code") && { runsPrograms: true }),
    // Whoever hears nobody in the first round has to speak, and so has the decision.
    calls: { least: family === "code" ? 2 : most, most },
    differs: [...settings.differs, ...unlike[family]],
  };
}

const labels = { roles: "C", hears: "C", votes: "C", prompts: "C" } as const;
const families: readonly Family[] = ["maths", "choice", "code", "text"];

/** AgentPrune by its paper, for the graph that a letter stands for: C, L or R. Only R's row is among the published figures. */
export function agentPruneProtocols(letter: string): readonly Protocol<AgentPrunePhase>[] {
  return families.map((family) =>
    protocolOf(family, `agentprune-${letter.toLowerCase()}`, {
      source: `${paper}, one-shot pruning; ${repository} for roles`,
      published: letter === "R" ? "agentprune-r" : null,
      agents: 5,
      rounds: family === "code" ? 4 : 2,
      labels: { ...labels, agents: "S", rounds: "S", temperature: "S", calls: "A" },
      differs: [
        "Half of the edges stay, four graphs are drawn a question, and the nuclear norm weighs 0.01: the paper gives none of the three.",
      ],
    }),
  );
}

const released: Readonly<Record<Family, { readonly agents: number; readonly rounds: number }>> = {
  maths: { agents: 4, rounds: 1 },
  choice: { agents: 5, rounds: 1 },
  code: { agents: 5, rounds: 2 },
  text: { agents: 5, rounds: 1 },
};

/** AgentPrune as its code was released. */
export const agentPruneReleasedProtocols: readonly Protocol<AgentPrunePhase>[] = families.map((family) =>
  protocolOf(family, "agentprune-c:released", {
    source: repository,
    published: null,
    ...released[family],
    labels: { ...labels, agents: "C", rounds: "C", temperature: "C", calls: "A" },
    differs: [
      "It learns on ten questions that are not the test's; the released code trains on the first 40 of the test, and scores them.",
    ],
  }),
);
