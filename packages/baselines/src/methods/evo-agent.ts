import type { Prompt } from "@laconic/core";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, Exemplar } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { phaseSettings, protocolsOf } from "../protocols/protocol-for.ts";
import { filled, optionsOf, textOf, type Script } from "../protocols/script.ts";

type EvoAgentPhase = "answer" | "invent" | "check" | "merge";

const maxTries = 5;

/**
 * EvoAgent: an answer, then three times: invent an expert, check it, let it answer, merge old and new. The fifth expert
 * is taken whatever the check says.
 */
export const evoAgent: Baseline = methodOf({
  name: "evoagent",
  title: "EvoAgent",
  protocols: protocolsOf<EvoAgentPhase>("evoagent"),
  create: (protocol, options) => {
    const { answerForm, script, rounds = protocol.rounds ?? 0 } = options;
    const words = script ? releasedEvoWords(script) : ownEvoWords(answerForm, shotsOf(protocol, options));
    return programTopology({
      name: "evoagent",
      agents: ["solver", "inventor", "checker", "expert", "merger"],
      play: async (stage) => {
        const { question } = stage.problem;
        const say = async (
          [agent, phase]: readonly [agent: string, phase: EvoAgentPhase],
          prompt: Prompt,
          ...reads: readonly (Turn | undefined)[]
        ): Promise<Turn | undefined> => {
          const [turn] = await stage.say({
            agent,
            prompt,
            reads: reads.flatMap((read) => (read ? [read.message] : [])),
            ...phaseSettings(protocol.phases[phase], options),
          });
          return turn;
        };
        let answer = await say(["solver", "answer"], words.answer(question));
        const experts: (Turn | undefined)[] = [];
        for (let round = 0; round < rounds; round++) {
          const known = [answer, ...experts];
          const state = [question, textOfTurn(answer), experts.map(textOfTurn)] as const;
          let expert: Turn | undefined;
          for (let attempt = 0; attempt < maxTries; attempt++) {
            expert = await say(["inventor", "invent"], words.invent(...state), ...known);
            const check = await say(["checker", "check"], words.check(...state, textOfTurn(expert)), ...known, expert);
            if (!words.discards(textOfTurn(check))) break;
            if (attempt === maxTries - 1) stage.note("expert-taken-unchecked");
          }
          experts.push(expert);
          const advice = await say(["expert", "answer"], words.advise(question, textOfTurn(expert)), expert);
          const merging = words.merge(question, textOfTurn(expert), textOfTurn(answer), textOfTurn(advice));
          answer = await say(["merger", "merge"], merging, answer, advice);
        }
      },
      answer: (turns) =>
        turns.findLast(({ call }) => call.agent === "merger" || call.agent === "solver")?.utterance ?? null,
    });
  },
  maxCalls: (protocol, { rounds = protocol.rounds ?? 0 }) => 1 + rounds * (2 * maxTries + 2),
  // Every try reads the answer and all experts so far twice, and the new one once; then the expert is read, and two answers.
  maxCopies: (protocol, { rounds = protocol.rounds ?? 0 }) => ({
    questions: 1 + rounds * (2 * maxTries + 2),
    examples: 1,
    replies: rounds * (3 * maxTries + 3) + maxTries * rounds * (rounds - 1),
  }),
});

interface EvoWords {
  readonly answer: (question: string) => Prompt;
  readonly invent: (question: string, answer: string, experts: readonly string[]) => Prompt;
  readonly check: (question: string, answer: string, experts: readonly string[], proposed: string) => Prompt;
  readonly advise: (question: string, expert: string) => Prompt;
  readonly merge: (question: string, expert: string, old: string, advice: string) => Prompt;
  /** Whether a check throws the expert out. */
  readonly discards: (reply: string) => boolean;
}

function ownEvoWords(answerForm: string, shots: readonly Exemplar[]): EvoWords {
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
function releasedEvoWords(script: Script): EvoWords {
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
