import { type Turn, programTopology, quote } from "@laconic/topologies";
import { boundedJson, type Topology } from "@laconic/core";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { phaseSettings, roundsOf } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { selfRefineProtocols } from "../protocols/self-refine.ts";
import { refinedPrograms } from "./self-refine-programs.ts";

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
