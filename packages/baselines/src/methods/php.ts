import type { Prompt } from "@laconic/core";
import { programTopology, quote } from "@laconic/topologies";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat } from "../prompts/chat.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { hinted, hintMessages, withHint } from "../protocols/hints.ts";
import { phaseSettings, roundsOf } from "../protocols/protocol-for.ts";
import { phpProtocols } from "../protocols/php.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { stepALine } from "./complex-cot.ts";

/** Progressive-Hint Prompting: ask, then ask again with all earlier answers as a hint, until the last ones are equal. */
export const php: Baseline = methodOf({
  name: "php",
  title: "PHP",
  protocols: phpProtocols,
  create: (protocol, options) => {
    const { reader } = options;
    const rounds = roundsOf(protocol, options);
    const last = protocol.stops.kind === "equal-answers" ? protocol.stops.last : 2;
    return programTopology({
      name: "php",
      agents: ["solver"],
      play: async (stage) => {
        // Of each call in turn; null for one that cannot be read, which is equal to none.
        const answers: (string | null)[] = [];
        for (let i = 0; i < rounds; i++) {
          const read = answers.filter((answer) => answer !== null);
          const prompt = promptOf(protocol, options, stage.problem.question, read);
          const phase = read.length === 0 ? protocol.phases.base : protocol.phases.hinted;
          const [turn] = await stage.say({ agent: "solver", prompt, ...phaseSettings(phase, options) });
          answers.push(reader.read(turn?.utterance.text ?? ""));
          const latest = answers.slice(-last);
          const [first] = latest;
          const equal = latest.every((each) => each !== null && typeof first === "string" && reader.same(first, each));
          if (equal && latest.length === last) return;
        }
        stage.note("capped");
      },
      answer: (turns) => turns.findLast(({ utterance }) => reader.read(utterance.text) !== null)?.utterance ?? null,
    });
  },
  maxCalls: roundsOf,
  // Each hint has all earlier answers.
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    return { questions: rounds, examples: rounds, replies: (rounds * (rounds - 1)) / 2 };
  },
});

function promptOf(protocol: Protocol, options: BaselineOptions, question: string, answers: readonly string[]): Prompt {
  const { answerForm, family } = options;
  const exemplars = shotsOf(protocol, options);
  const system = `${stepALine} ${answerForm}`;
  if (answers.length === 0) return chat(system, question, exemplars);
  return {
    kind: "messages",
    messages: [
      { role: "system", content: system },
      ...hintMessages(protocol.shots, exemplars, family),
      {
        role: "user",
        content:
          family === "code"
            ? `${question}\n\n(Hint: the function is near to these.)\n\n${answers.map((each) => quote(each)).join("\n\n")}`
            : withHint(
                question,
                answers.map((answer) => hinted(answer, family)),
              ),
      },
    ],
  };
}
