import { onePiece } from "./partition.ts";
import { benchmarkLine, noShots, type Family, type Protocol } from "./protocol.ts";

/** Kinds of calls. */
export type DebatePhase = "reply";

const source = "Du et al. 2023; llm_multiagent_debate@98467493";
const labels = {
  roles: "C",
  temperature: "C",
  shots: "C",
  agents: "C",
  rounds: "C",
  hears: "C",
  stops: "C",
  votes: "C",
  calls: "C",
} as const;

function debateOf(
  family: Family,
  given: Pick<Protocol, "published" | "prompts" | "labels" | "differs">,
): Protocol<DebatePhase> {
  return {
    ...given,
    id: `debate/${family}`,
    version: 1,
    families: [family],
    source,
    roles: [{ slot: "debater" }],
    temperature: 1,
    phases: { reply: { shots: true } },
    shots: noShots,
    agents: 3,
    rounds: 2,
    answerLine: benchmarkLine,
    hears: "The whole message of every other debater of the round before; each keeps its own chat.",
    partition: family === "code" ? onePiece : { kind: "among", slots: ["debater"] },
    stops: { kind: "fixed" },
    votes: { kind: "plurality" },
    calls: { least: 6, most: 6 },
  };
}

const once = "The question stands at the beginning of each chat alone.";
const others =
  "Later rounds show the others' messages, quoted, and ask to use them as additional information and to answer again; one alone is asked to check its answer.";

/** LLM-Debate by kind of question. A reply without an answer does not vote; the released code counts a debate of such as right. Arithmetic, 2 debaters and 3 rounds, is `agents` and `rounds`. */
export const debateProtocols: readonly Protocol<DebatePhase>[] = [
  debateOf("maths", {
    published: "debate",
    prompts: ["Every later round repeats the question.", others],
    labels: { ...labels, prompts: "C" },
    differs: [],
  }),
  debateOf("choice", {
    published: "debate",
    prompts: [once, others],
    labels: { ...labels, prompts: "C" },
    differs: [],
  }),
  debateOf("code", {
    published: "debate",
    prompts: [once, others],
    labels,
    differs: [
      "The authors play no programs: those that are the same to the letter are one answer, so that mostly the first one stays.",
    ],
  }),
  debateOf("text", {
    published: null,
    prompts: [once, others],
    labels,
    differs: ["The authors play no free answers."],
  }),
];
