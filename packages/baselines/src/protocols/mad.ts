import { onePiece } from "./partition.ts";
import { benchmarkLine, noShots, type Family, type Protocol } from "./protocol.ts";

/** Kinds of calls: a side's, the moderator's, the judge's. */
export type MadPhase = "debate" | "moderator" | "judge";

const form: Omit<Protocol<MadPhase>, "id" | "families"> = {
  version: 1,
  source: "Liang et al. 2023; protocol as in Multi-Agents-Debate@022a7a8e",
  published: null,
  roles: [
    { slot: "affirmative", title: "side of a debate", duty: "Answers first, then answers the other side." },
    { slot: "negative", title: "side of a debate", duty: "Disagrees at first, then answers the other side." },
    { slot: "moderator", duty: "Ends the debate by naming an answer, as JSON." },
    { slot: "judge", duty: "Lists the candidates of the first round, then picks." },
  ],
  temperature: 0,
  phases: { debate: {}, moderator: {}, judge: {} },
  shots: noShots,
  agents: 2,
  rounds: 3,
  prompts: [
    "The question stands once, at the beginning of every chat.",
    "The negative side is told to disagree with the first answer; later each side is asked whether it agrees.",
    "The moderator replies with JSON: a preference, and an answer or none.",
    "The judge is asked for candidates, then for one of them.",
  ],
  answerLine: benchmarkLine,
  hears:
    "Each side its own turns and the other's last message of each round; the moderator both sides of each round and its own verdicts; the judge both sides' first answers.",
  partition: { kind: "among", slots: ["affirmative", "negative"] },
  stops: { kind: "moderator" },
  votes: { kind: "decision", slot: "judge" },
  calls: { least: 3, most: 11 },
  labels: {
    roles: "C",
    temperature: "C",
    rounds: "C",
    prompts: "C",
    hears: "K",
    stops: "C",
    votes: "C",
    calls: "C",
  },
  differs: ["The paper plays counter-intuitive arithmetic and translation."],
};

const kinds: readonly Family[] = ["maths", "choice", "code", "text"];

/**
 * MAD, the same for all kinds of questions. The wording is ours throughout, as the original's licence allows no reuse. The moderator's
 * reply is read as strict JSON, with one repair of what stands around it; the released code evaluates it as Python.
 */
export const madProtocols: readonly Protocol<MadPhase>[] = kinds.map((family) => ({
  ...form,
  id: `mad/${family}`,
  families: [family],
  ...(family === "code" && { partition: onePiece }),
}));
