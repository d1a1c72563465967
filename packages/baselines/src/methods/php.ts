import type { ChatMessage, Prompt } from "@laconic/core";
import { programTopology, quote } from "@laconic/topologies";
import { askOn } from "../playing/ask.ts";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { chat } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions, Exemplar } from "../protocols/baseline.ts";
import { shotsOf, workedReply } from "../protocols/choose-shots.ts";
import { protocolsOf, roundsOf } from "../protocols/protocol-for.ts";
import type { Family, Protocol, Shots } from "../protocols/protocol.ts";
import { shownPrompt, withAnswerChoices } from "../protocols/script.ts";
import { stepALine } from "./single-replies.ts";

/** Progressive-Hint Prompting: asks again with all answers as hints, until the last are equal. */
export const php: Baseline = methodOf({
  name: "php",
  title: "PHP",
  protocols: protocolsOf<"base" | "hinted">("php"),
  create: (protocol, options) => {
    const { reader } = options;
    const last = protocol.stops.kind === "equal-answers" ? protocol.stops.last : 2;
    return programTopology({
      name: "php",
      agents: ["solver"],
      play: async (stage) => {
        const ask = askOn(stage, protocol, options);
        // Unreadable answers are null and equal no other.
        const answers: (string | null)[] = [];
        for (let i = 0; i < roundsOf(protocol, options); i++) {
          const hints = answers.filter((answer) => answer !== null);
          const prompt = promptOf(protocol, options, stage.problem.question, hints);
          const turn = await ask("solver", hints.length === 0 ? "base" : "hinted", prompt);
          answers.push(reader.read(textOfTurn(turn)));
          const [first, ...rest] = answers.slice(-last);
          const equal = rest.every(
            (answer) => answer !== null && typeof first === "string" && reader.same(first, answer),
          );
          if (equal && rest.length === last - 1) return;
        }
        stage.note("capped");
      },
      answer: (turns) => turns.findLast(({ utterance }) => reader.read(utterance.text) !== null)?.utterance ?? null,
    });
  },
  maxCalls: roundsOf,
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    return { questions: rounds, examples: rounds, replies: (rounds * (rounds - 1)) / 2 };
  },
});

function promptOf(protocol: Protocol, options: BaselineOptions, question: string, answers: readonly string[]): Prompt {
  const { answerForm, family, script } = options;
  const hints = answers.map((answer) => hinted(answer, family));
  if (script) {
    const asked = withAnswerChoices(question);
    if (answers.length === 0) return shownPrompt(script, "base", asked);
    return shownPrompt(script, "hinted", `${asked} (Hint: The answer is near to ${hints.join(", ")}).`);
  }
  const exemplars = shotsOf(protocol, options);
  const system = `${stepALine} ${answerForm}`;
  if (answers.length === 0) return chat(system, question, exemplars);
  const programs = answers.map(quote).join("\n\n");
  const content =
    family === "code"
      ? `${question}\n\n(Hint: the function is near to these.)\n\n${programs}`
      : withHint(question, hints);
  return {
    kind: "messages",
    messages: [
      { role: "system", content: system },
      ...hintMessages(protocol.shots, exemplars, family),
      { role: "user", content },
    ],
  };
}

/** Examples with right and wrong hints, which replies name first. Wrong hints are other examples' answers. */
function hintMessages(
  { hints = [["right"]] }: Shots,
  exemplars: readonly Exemplar[],
  family: Family | undefined,
): ChatMessage[] {
  return exemplars.flatMap((exemplar, i): ChatMessage[] => {
    const others = [...exemplars.slice(i + 1), ...exemplars.slice(0, i)].map(({ answer }) => answer);
    const wrong = [...new Set(others)].filter((answer) => answer !== exemplar.answer).values();
    const answers = (hints[i % hints.length] ?? []).flatMap((kind) =>
      kind === "right" ? exemplar.answer : (wrong.next().value ?? []),
    );
    const shown = (answers.length > 0 ? answers : [exemplar.answer]).map((answer) => hinted(answer, family));
    const thought = `The hints are ${shown.join(", ")}. I keep them in mind and work it out.`;
    return [
      { role: "user", content: withHint(exemplar.question, shown) },
      { role: "assistant", content: `${thought}\n${workedReply(exemplar)}` },
    ];
  });
}

/** Hint format: letters in parentheses, numbers without trailing zeros. */
function hinted(answer: string, family: Family | undefined): string {
  if (family === "choice") return `(${answer})`;
  return /^-?\d+\.\d+$/u.test(answer) ? answer.replace(/\.?0+$/u, "") : answer;
}

function withHint(question: string, hints: readonly string[]): string {
  return `${question}\n\n(Hint: the answer is near to ${hints.join(", ")}.)`;
}
