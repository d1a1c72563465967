import { programTopology, quote } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

const mostTries = 5;

/**
 * EvoAgent: an answer, then three times: invent an expert, check it, let it answer, merge old and new. The fifth expert
 * is taken whatever the check says.
 */
export const evoAgent: Baseline = {
  name: "evoagent",
  title: "EvoAgent",
  source: "Yuan et al. 2024; evoagent@fc6d087b",
  calls: "1 + 3 x (4 to 12) (rounds)",
  temperature: 0,
  create: ({ answerForm, maxTokens, rounds = 3, exemplars }) =>
    programTopology({
      name: "evoagent",
      agents: ["solver", "inventor", "checker", "expert", "merger"],
      play: async (stage) => {
        const { question } = stage.problem;
        const say = async (agent: string, system: string, user: string): Promise<string> => {
          const reads = stage.turns.slice(-1).map(({ message }) => message);
          const [turn] = await stage.say({
            agent,
            prompt: chat(system, user, agent === "solver" ? exemplars : []),
            reads,
            maxTokens,
          });
          return turn?.utterance.text ?? "";
        };
        let answer = await say("solver", `${stepByStep} ${answerForm}`, question);
        const experts: string[] = [];
        for (let round = 0; round < rounds; round++) {
          const state = (): string =>
            `${question}\n\nCurrent answer:\n${quote(answer)}\n\nExperts so far:\n${quote(experts.join("\n"))}`;
          let expert = "";
          for (let attempt = 0; attempt < mostTries; attempt++) {
            expert = await say(
              "inventor",
              "Describe one new expert whose skills would improve the answer, in two sentences.",
              state(),
            );
            const check = await say(
              "checker",
              "Is this expert new and useful? Reply KEEP or DISCARD.",
              `${state()}\n\nProposed:\n${quote(expert)}`,
            );
            if (!/\bdiscard\b/iu.test(check)) break;
          }
          experts.push(expert);
          const advice = await say(
            "expert",
            `You are this expert:\n${quote(expert)}\n${stepByStep} ${answerForm}`,
            question,
          );
          answer = await say(
            "merger",
            `Combine two answers into a better one. ${answerForm}`,
            `${question}\n\nOld answer:\n${quote(answer)}\n\nNew answer:\n${quote(advice)}`,
          );
        }
      },
      answer: (turns) =>
        turns.findLast(({ call }) => call.agent === "merger" || call.agent === "solver")?.utterance ?? null,
    }),
  mostCalls: ({ rounds = 3 }) => 1 + rounds * (2 * mostTries + 2),
  // Every try reads the answer and all experts so far twice, and the new one once; then the expert is read, and two answers.
  mostCopies: ({ rounds = 3 }) => ({
    questions: 1 + rounds * (2 * mostTries + 2),
    examples: 1,
    replies: rounds * (3 * mostTries + 3) + mostTries * rounds * (rounds - 1),
  }),
};
