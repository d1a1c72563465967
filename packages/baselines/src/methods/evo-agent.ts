import { programTopology, quote, type Turn } from "@laconic/topologies";
import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { evoAgentProtocols, type EvoAgentPhase } from "../protocols/evo-agent.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";

const maxTries = 5;

/**
 * EvoAgent: an answer, then three times: invent an expert, check it, let it answer, merge old and new. The fifth expert
 * is taken whatever the check says.
 */
export const evoAgent: Baseline = methodOf({
  name: "evoagent",
  title: "EvoAgent",
  protocols: evoAgentProtocols,
  create: (protocol, options) => {
    const { answerForm, rounds = protocol.rounds ?? 0 } = options;
    return programTopology({
      name: "evoagent",
      agents: ["solver", "inventor", "checker", "expert", "merger"],
      play: async (stage) => {
        const { question } = stage.problem;
        const say = async (
          [agent, phase]: readonly [agent: string, phase: EvoAgentPhase],
          system: string,
          user: string,
          ...reads: readonly (Turn | undefined)[]
        ): Promise<Turn | undefined> => {
          const [turn] = await stage.say({
            agent,
            prompt: chat(system, user, agent === "solver" ? shotsOf(protocol, options) : []),
            reads: reads.flatMap((read) => (read ? [read.message] : [])),
            ...phaseSettings(protocol.phases[phase], options),
          });
          return turn;
        };
        let answer = await say(["solver", "answer"], `${stepByStep} ${answerForm}`, question);
        const experts: (Turn | undefined)[] = [];
        for (let round = 0; round < rounds; round++) {
          const known = [answer, ...experts];
          const state = `${question}\n\nCurrent answer:\n${quote(textOf(answer))}\n\nExperts so far:\n${quote(experts.map(textOf).join("\n"))}`;
          let expert: Turn | undefined;
          for (let attempt = 0; attempt < maxTries; attempt++) {
            expert = await say(
              ["inventor", "invent"],
              "Describe one new expert whose skills would improve the answer, in two sentences.",
              state,
              ...known,
            );
            const check = await say(
              ["checker", "check"],
              "Is this expert new and useful? Reply KEEP or DISCARD.",
              `${state}\n\nProposed:\n${quote(textOf(expert))}`,
              ...known,
              expert,
            );
            if (!/\bdiscard\b/iu.test(textOf(check))) break;
            if (attempt === maxTries - 1) stage.note("expert-taken-unchecked");
          }
          experts.push(expert);
          const advice = await say(
            ["expert", "answer"],
            `You are this expert:\n${quote(textOf(expert))}\n${stepByStep} ${answerForm}`,
            question,
            expert,
          );
          answer = await say(
            ["merger", "merge"],
            `Combine two answers into a better one. ${answerForm}`,
            `${question}\n\nOld answer:\n${quote(textOf(answer))}\n\nNew answer:\n${quote(textOf(advice))}`,
            answer,
            advice,
          );
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

function textOf(turn: Turn | undefined): string {
  return turn?.utterance.text ?? "";
}
