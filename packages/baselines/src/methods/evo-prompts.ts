import type { Prompt } from "@laconic/core";
import { quote } from "@laconic/topologies";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Exemplar } from "../protocols/baseline.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";

/** What EvoAgent's agents are told. Experts are their descriptions. */
export interface EvoWords {
  readonly answer: (question: string) => Prompt;
  readonly invent: (question: string, answer: string, experts: readonly string[]) => Prompt;
  readonly check: (question: string, answer: string, experts: readonly string[], proposed: string) => Prompt;
  readonly advise: (question: string, expert: string) => Prompt;
  readonly merge: (question: string, expert: string, old: string, advice: string) => Prompt;
  /** Whether a check throws the expert out. */
  readonly discards: (reply: string) => boolean;
}

/** Our words. */
export function ownEvoWords(answerForm: string, shots: readonly Exemplar[]): EvoWords {
  const solving = `${stepByStep} ${answerForm}`;
  const state = (question: string, answer: string, experts: readonly string[]): string =>
    `${question}\n\nCurrent answer:\n${quote(answer)}\n\nExperts so far:\n${quote(experts.join("\n"))}`;
  return {
    answer: (question) => chat(solving, question, shots),
    invent: (...known) =>
      chat("Describe one new expert whose skills would improve the answer, in two sentences.", state(...known)),
    check: (question, answer, experts, proposed) =>
      chat(
        "Is this expert new and useful? Reply KEEP or DISCARD.",
        `${state(question, answer, experts)}\n\nProposed:\n${quote(proposed)}`,
      ),
    advise: (question, expert) => chat(`You are this expert:\n${quote(expert)}\n${solving}`, question),
    merge: (question, _, old, advice) =>
      chat(
        `Combine two answers into a better one. ${answerForm}`,
        `${question}\n\nOld answer:\n${quote(old)}\n\nNew answer:\n${quote(advice)}`,
      ),
    discards: (reply) => /\bdiscard\b/iu.test(reply),
  };
}

/** The released words for MMMU, one user message each, without its picture. */
export function releasedEvoWords(script: Script): EvoWords {
  const of = (name: string, question: string, ...values: readonly string[]): Prompt => {
    const { stem, options } = optionsOf(question);
    const listed = options.map((option, i) => `${"ABCDE"[i]}. ${option}`).join("\n");
    const content = filled(textOf(script, name), ...(name === "advise" ? values : []), stem, listed, ...values);
    return { kind: "messages", messages: [{ role: "user", content }] };
  };
  const joined = (experts: readonly string[]): string => experts.join("\n-");
  return {
    answer: (question) => of("ask", question),
    invent: (question, answer, experts) => of("invent", question, answer, joined(experts)),
    check: (question, _, experts, proposed) => of("check", question, joined(experts), proposed),
    advise: (question, expert) => of("advise", question, expert),
    merge: (question, expert, old, advice) => of("merge", question, old, expert, advice),
    discards: (reply) => reply.toLowerCase().includes("discard"),
  };
}
