import type { ChatMessage, Prompt } from "@laconic/core";
import { programTopology, quote } from "@laconic/topologies";
import { stepALine } from "./single-replies.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions, Exemplar } from "../protocols/baseline.ts";
import { shotsOf, workedReply } from "../protocols/choose-shots.ts";
import type { Family, Protocol, Shots } from "../protocols/protocol.ts";
import { protocolsOf, phaseSettings, roundsOf } from "../protocols/protocol-for.ts";
import { shownPrompt, type Script, withAnswerChoices } from "../protocols/script.ts";

/** An answer as a hint has it: letters in parentheses, numbers without trailing zeros, all else as it is. */
function hinted(answer: string, family: Family | undefined): string {
  if (family === "choice") return `(${answer})`;
  return /^-?\d+\.\d+$/u.test(answer) ? answer.replace(/\.?0+$/u, "") : answer;
}

function withHint(question: string, hints: readonly string[]): string {
  return `${question}\n\n(Hint: the answer is near to ${hints.join(", ")}.)`;
}

/**
 * Examples whose questions carry hints, some right and some wrong, and whose replies name the hints before they solve the question. Wrong
 * hints are the answers of other examples: they look like answers to such questions.
 */
function hintMessages(
  { hints = [["right"]] }: Shots,
  exemplars: readonly Exemplar[],
  family: Family | undefined,
): ChatMessage[] {
  return exemplars.flatMap((exemplar, i): ChatMessage[] => {
    const others = [...exemplars.slice(i + 1), ...exemplars.slice(0, i)].map(({ answer }) => answer);
    const wrong = [...new Set(others)].filter((answer) => answer !== exemplar.answer).values();
    const kinds = hints[i % hints.length] ?? [];
    const given = kinds.flatMap((kind) => (kind === "right" ? exemplar.answer : (wrong.next().value ?? [])));
    const shown = (given.length > 0 ? given : [exemplar.answer]).map((answer) => hinted(answer, family));
    return [
      { role: "user", content: withHint(exemplar.question, shown) },
      {
        role: "assistant",
        content: `The hints are ${shown.join(", ")}. I keep them in mind and work it out.\n${workedReply(exemplar)}`,
      },
    ];
  });
}

/** Progressive-Hint Prompting: ask, then ask again with all earlier answers as a hint, until the last ones are equal. */
export const php: Baseline = methodOf({
  name: "php",
  title: "PHP",
  protocols: protocolsOf<"base" | "hinted">("php"),
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
  if (options.script) return scriptPrompt(options.script, options.family, question, answers);
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

/** As the released code writes it. */
function scriptPrompt(
  script: Script,
  family: Family | undefined,
  question: string,
  answers: readonly string[],
): Prompt {
  const asked = withAnswerChoices(question);
  if (answers.length === 0) return shownPrompt(script, "base", asked);
  const hints = answers.map((answer) => hinted(answer, family)).join(", ");
  return shownPrompt(script, "hinted", `${asked} (Hint: The answer is near to ${hints}).`);
}
