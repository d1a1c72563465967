import { boundedJson, type Topology } from "@laconic/core";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { refinedPrograms } from "./self-refine-programs.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings, roundsOf } from "../protocols/protocol-for.ts";
import { benchmarkLine, labelled, noShots, type Protocol } from "../protocols/protocol.ts";

type Phase = "draft" | "feedback" | "revise";

const asReflexion = {
  version: 1,
  source: "Madaan et al. 2023; ADAS@2702bee8, Self-Refine (Reflexion)",
  published: "self-refine",
  roles: [{ slot: "solver" }, { slot: "critic", duty: "says what is wrong, and whether the answer is correct" }],
  temperature: 0.5,
  phases: { draft: { maxTokens: 1024 }, feedback: { maxTokens: 1024 }, revise: { maxTokens: 1024 } },
  shots: noShots,
  rounds: 5,
  prompts: [
    "The critic replies with JSON of two fields, `feedback` and `correct`.",
    "A revision reads all attempts and all feedback so far.",
  ],
  answerLine: benchmarkLine,
  hears:
    "The critic reads the question and the latest attempt alone; the solver reads its attempts and the feedback to each.",
  partition: {
    kind: "whole",
    reason: "One model criticises itself: a critic with a share of its own would be another agent.",
  },
  stops: { kind: "verdict", says: "True" },
  votes: { kind: "last" },
  calls: { least: 2, most: 11 },
  labels: labelled("C", "temperature", "maxTokens", "rounds", "prompts", "hears", "stops", "votes", "calls"),
} as const satisfies Partial<Protocol>;

/** Criticism and revision as ADAS plays it; word problems by programs, as the paper's own code does. */
const selfRefineProtocols: readonly Protocol<Phase>[] = [
  {
    ...asReflexion,
    id: "self-refine/programs",
    families: ["maths"],
    benchmarks: ["gsm8k", "multiarith", "svamp"],
    source: "Madaan et al. 2023; self-refine@9a206d41, GSM8K",
    roles: [{ slot: "solver" }, { slot: "critic", duty: "says what is wrong, and writes the program anew" }],
    temperature: 0,
    phases: {
      draft: { maxTokens: 300 },
      feedback: { maxTokens: 600, temperature: 0.7 },
      // Nobody is asked for it: the critic writes the program anew.
      revise: { maxTokens: 600 },
    },
    rounds: 4,
    prompts: [
      "A Python function `solution` that returns the answer, with the question in its docstring.",
      "One call finds the error and writes the whole function anew.",
      "Each exchange stands before the next one as a further example.",
    ],
    answerLine: "What the last program prints.",
    hears: "The critic reads the latest program, and all exchanges before.",
    stops: { kind: "verdict", says: "it is correct" },
    runsPrograms: true,
    calls: { least: 2, most: 5 },
    labels: { ...asReflexion.labels, answerLine: "C" },
    differs: ["The released prompts begin with worked programs; ours have none."],
  },
  { ...asReflexion, id: "self-refine/reflexion", families: ["maths", "choice", "text"], differs: [] },
  {
    ...asReflexion,
    id: "self-refine/reflexion-code",
    families: ["code"],
    differs: ["ADAS plays it on no functions to complete: its form for questions is taken."],
  },
];

type RefineProtocol = Protocol<"draft" | "feedback" | "revise">;

/** Self-Refine: answer, then criticise and revise until the criticism calls the work correct. */
export const selfRefine: Baseline = methodOf({
  name: "self-refine",
  title: "Self-Refine",
  protocols: selfRefineProtocols,
  create: (protocol, options) =>
    protocol.runsPrograms ? refinedPrograms(protocol, options) : reflexion(protocol, options),
  maxCalls: (protocol, size) => 1 + (protocol.runsPrograms ? 1 : 2) * roundsOf(protocol, size),
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    return protocol.runsPrograms
      ? // The latest program, and in each exchange before it a program and the reply that changed it.
        { questions: 1 + (rounds * (rounds + 1)) / 2, examples: 0, replies: rounds ** 2 }
      : // A criticism reads one reply, the revision of a round an attempt and a comment of every round.
        { questions: 1 + 2 * rounds, examples: 0, replies: rounds + rounds * (rounds + 1) };
  },
});

function reflexion(protocol: RefineProtocol, options: BaselineOptions): Topology {
  const { answerForm } = options;
  const { draft, feedback, revise } = protocol.phases;
  const solving = `${stepByStep} ${answerForm}`;
  return programTopology({
    name: "self-refine",
    agents: ["solver", "critic"],
    play: async (stage) => {
      const { question } = stage.problem;
      let [attempt] = await stage.say({
        agent: "solver",
        prompt: chat(solving, question),
        ...phaseSettings(draft, options),
      });
      const history: { readonly attempt: Turn; readonly comment: Turn; readonly text: string }[] = [];
      for (let round = 0; round < roundsOf(protocol, options); round++) {
        if (!attempt) return;
        const [comment] = await stage.say({
          agent: "critic",
          prompt: chat(
            'Review the attempt and say where it may be wrong. Reply with JSON alone: {"feedback": what may be wrong, "correct": "True" if you are certain that it is correct, else "False"}.',
            `${question}\n\nAttempt ${round + 1}:\n${quote(attempt.utterance.text)}`,
          ),
          reads: [attempt.message],
          ...phaseSettings(feedback, options),
        });
        if (!comment) return;
        const verdict = verdictIn(comment.utterance.text);
        if (!verdict.read) stage.note("unread criticism");
        if (verdict.correct) return;
        history.push({ attempt, comment, text: verdict.feedback });
        const said = history.map(
          (each, i) =>
            `Attempt ${i + 1}:\n${quote(each.attempt.utterance.text)}\n\nFeedback ${i + 1}:\n${quote(each.text)}`,
        );
        [attempt] = await stage.say({
          agent: "solver",
          prompt: chat(
            solving,
            `${question}\n\n${said.join("\n\n")}\n\nLearn from the attempts and the feedback, and solve the task better.`,
          ),
          reads: history.flatMap((each) => [each.attempt.message, each.comment.message]),
          ...phaseSettings(revise, options),
        });
      }
      stage.note("capped");
    },
    answer: (turns) => turns.findLast(({ call }) => call.agent === "solver")?.utterance ?? null,
  });
}

/** A criticism's fields. What is no such JSON is feedback as it stands, and calls nothing correct. */
function verdictIn(text: string): { feedback: string; correct: boolean; read: boolean } {
  const { feedback, correct } = firstObject(text) ?? {};
  const read = feedback !== undefined && correct !== undefined;
  return {
    feedback: typeof feedback === "string" ? feedback : text,
    correct: correct === true || (typeof correct === "string" && /^\s*true\s*$/iu.test(correct)),
    read,
  };
}

/**
 * The JSON object in a model's reply, read and never run: everything between the outer braces, or the first object without any inside.
 * Null where there is none.
 */
function firstObject(text: string): Readonly<Record<string, unknown>> | null {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  const flat = /\{[^{}]{0,4000}\}/su.exec(text)?.[0];
  const candidates = [...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []), ...(flat ? [flat] : [])];
  for (const candidate of candidates) {
    try {
      const value: unknown = boundedJson(candidate);
      if (typeof value === "object" && value !== null) return { ...value };
    } catch {
      // the next one
    }
  }
  return null;
}
