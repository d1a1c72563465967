import type { Prompt } from "@laconic/core";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { askOn } from "../playing/ask.ts";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { asked, chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, Exemplar } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { protocolsOf, roundsOf } from "../protocols/protocol-for.ts";
import { filled, optionsOf, textOf, type Script } from "../protocols/script.ts";

const maxTries = 5;

/**
 * EvoAgent: answers, then three times invents an expert, checks it, lets it answer, and merges old and new. The fifth
 * expert is taken regardless of the check.
 */
export const evoAgent: Baseline = methodOf({
  name: "evoagent",
  title: "EvoAgent",
  protocols: protocolsOf<"answer" | "invent" | "check" | "merge">("evoagent"),
  create: (protocol, options) => {
    const { answerForm, script } = options;
    const words = script ? releasedWords(script) : ownWords(answerForm, shotsOf(protocol, options));
    return programTopology({
      name: "evoagent",
      agents: ["solver", "inventor", "checker", "expert", "merger"],
      play: async (stage) => {
        const { question } = stage.problem;
        const ask = askOn(stage, protocol, options);
        let answer = await ask("solver", "answer", words.answer(question));
        const experts: (Turn | undefined)[] = [];
        for (let round = 0; round < roundsOf(protocol, options); round++) {
          const known = [answer, ...experts];
          const state = [question, textOfTurn(answer), experts.map(textOfTurn)] as const;
          let expert: Turn | undefined;
          for (let attempt = 0; attempt < maxTries; attempt++) {
            expert = await ask("inventor", "invent", words.invent(...state), known);
            const check = await ask("checker", "check", words.check(...state, textOfTurn(expert)), [...known, expert]);
            if (!words.discards(textOfTurn(check))) break;
            if (attempt === maxTries - 1) stage.note("expert-taken-unchecked");
          }
          experts.push(expert);
          const advice = await ask("expert", "answer", words.advise(question, textOfTurn(expert)), [expert]);
          const merging = words.merge(question, textOfTurn(expert), textOfTurn(answer), textOfTurn(advice));
          answer = await ask("merger", "merge", merging, [answer, advice]);
        }
      },
      answer: (turns) =>
        turns.findLast(({ call }) => call.agent === "merger" || call.agent === "solver")?.utterance ?? null,
    });
  },
  maxCalls: (protocol, size) => 1 + roundsOf(protocol, size) * (2 * maxTries + 2),
  // Each attempt reads the answer and all experts twice, the new one once; then the expert and two answers.
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    const replies = rounds * (3 * maxTries + 3) + maxTries * rounds * (rounds - 1);
    return { questions: 1 + rounds * (2 * maxTries + 2), examples: 1, replies };
  },
});

type EvoWords = ReturnType<typeof ownWords>;

function ownWords(answerForm: string, shots: readonly Exemplar[]) {
  const solving = `${stepByStep} ${answerForm}`;
  const state = (question: string, answer: string, experts: readonly string[]): string =>
    `${question}\n\nCurrent answer:\n${quote(answer)}\n\nExperts so far:\n${quote(experts.join("\n"))}`;
  return {
    answer: (question: string): Prompt => chat(solving, question, shots),
    invent: (...known: Parameters<typeof state>): Prompt =>
      chat("Describe one new expert whose skills would improve the answer, in two sentences.", state(...known)),
    check: (question: string, answer: string, experts: readonly string[], proposed: string): Prompt =>
      chat(
        "Is this expert new and useful? Reply KEEP or DISCARD.",
        `${state(question, answer, experts)}\n\nProposed:\n${quote(proposed)}`,
      ),
    advise: (question: string, expert: string): Prompt =>
      chat(`You are this expert:\n${quote(expert)}\n${solving}`, question),
    merge: (question: string, _expert: string, old: string, advice: string): Prompt =>
      chat(
        `Combine two answers into a better one. ${answerForm}`,
        `${question}\n\nOld answer:\n${quote(old)}\n\nNew answer:\n${quote(advice)}`,
      ),
    discards: (reply: string): boolean => /\bdiscard\b/iu.test(reply),
  };
}

/** Released prompts for MMMU, one user message each, without the picture. */
function releasedWords(script: Script): EvoWords {
  const request = (name: string, question: string, ...values: readonly string[]): Prompt => {
    const { stem, options } = optionsOf(question);
    const listed = options.map((option, i) => `${"ABCDE"[i]}. ${option}`).join("\n");
    return asked(filled(textOf(script, name), ...(name === "advise" ? values : []), stem, listed, ...values));
  };
  return {
    answer: (question) => request("ask", question),
    invent: (question, answer, experts) => request("invent", question, answer, experts.join("\n-")),
    check: (question, _, experts, proposed) => request("check", question, experts.join("\n-"), proposed),
    advise: (question, expert) => request("advise", question, expert),
    merge: (question, expert, old, advice) => request("merge", question, old, expert, advice),
    discards: (reply) => reply.toLowerCase().includes("discard"),
  };
}
