import { benchmarkLine, noShots, type Family, type Protocol } from "./protocol.ts";

/** Kinds of calls. */
export type EvoAgentPhase = "answer" | "invent" | "check" | "merge";

const families: readonly Family[] = ["maths", "choice", "code", "text"];

/** EvoAgent, the same for all kinds of questions. */
export const evoAgentProtocols: readonly Protocol<EvoAgentPhase>[] = families.map((family) => ({
  id: `evoagent/${family}`,
  version: 1,
  families: [family],
  source: "Yuan et al. 2024; evoagent@fc6d087b",
  published: family === "maths" ? "evoagent" : null,
  roles: [
    { slot: "solver", duty: "Answers first." },
    { slot: "inventor", duty: "Describes a new expert." },
    { slot: "checker", duty: "Keeps or discards it." },
    { slot: "expert", duty: "Answers as the expert." },
    { slot: "merger", duty: "Makes one answer of the old and the new one." },
  ],
  temperature: 0,
  phases: { answer: { shots: true }, invent: {}, check: {}, merge: {} },
  shots: noShots,
  agents: 1,
  rounds: 3,
  prompts: [
    "An expert is invented from the question, the current answer and the experts before it.",
    "The fifth description of an iteration is taken whatever the check says.",
  ],
  answerLine: benchmarkLine,
  hears:
    "The inventor and the checker the current answer and all experts so far; the expert its description; the merger both answers.",
  partition: {
    kind: "whole",
    reason: "Experts are invented for a question that one agent has seen, and answer it alone.",
  },
  stops: { kind: "fixed" },
  votes: { kind: "decision", slot: "merger" },
  calls: { least: 13, most: 37 },
  labels: {
    roles: "C",
    temperature: "C",
    agents: "C",
    rounds: "C",
    prompts: "C",
    hears: "C",
    stops: "C",
    votes: "C",
    calls: "C",
  },
  differs: family === "maths" || family === "choice" ? [] : ["No published figure is of such questions."],
}));
