import type { ChatMessage } from "@laconic/core";
import { programTopology, quote } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { stepByStep } from "../prompts/chat.ts";
import { shotMessages } from "../protocols/choose-shots.ts";
import { pluralityOf } from "../vote.ts";

/**
 * Debate: 3 agents, 2 rounds. Each keeps its own chat; in a later round it gets the complete message of every other agent
 * of the round before, and answers again; the question stands at the chat's beginning alone. The answer is the plurality of the last round. The released code counts a
 * reply without an answer as right (`debate/parse-none-correct`); here it does not vote.
 */
export const llmDebate: Baseline = {
  name: "debate",
  title: "LLM-Debate",
  source: "Du et al. 2023; llm_multiagent_debate@98467493",
  calls: "agents x rounds, 3 x 2 unless told",
  temperature: 1,
  create: ({ reader, answerForm, maxTokens, agents = 3, rounds = 2, exemplars = [] }) => {
    const ids = Array.from({ length: agents }, (_, i) => `debater-${i + 1}`);
    return programTopology({
      name: "debate",
      agents: ids,
      play: async (stage) => {
        const { question } = stage.problem;
        const shots = shotMessages("chains", exemplars);
        const chats = ids.map((): ChatMessage[] => [
          { role: "system", content: `${stepByStep} ${answerForm}` },
          ...shots,
          { role: "user", content: question },
        ]);
        for (let round = 0; round < rounds; round++) {
          const heard = round === 0 ? [] : stage.turns.slice(-agents).map(({ message }) => message);
          const lines = ids.map((agent, i) => {
            const others = heard.filter(({ from }) => from !== agent);
            if (round > 0)
              chats[i]?.push({
                role: "user",
                content: again(others.map(({ text }) => text)),
              });
            return {
              agent,
              maxTokens,
              reads: others,
              prompt: { kind: "messages" as const, messages: [...(chats[i] ?? [])] },
            };
          });
          const said = await stage.say(...lines);
          said.forEach(({ utterance }, i) => chats[i]?.push({ role: "assistant", content: utterance.text }));
        }
      },
      answer: (turns) => {
        const last = turns.slice(-agents);
        return pluralityOf(last, reader);
      },
    });
  },
  mostCalls: ({ agents = 3, rounds = 2 }) => agents * rounds,
  // A chat grows by the question and by everybody's reply each round.
  mostCopies: ({ agents = 3, rounds = 2 }) => ({
    questions: (agents * rounds * (rounds + 1)) / 2,
    examples: agents * rounds,
    replies: (agents ** 2 * rounds * (rounds - 1)) / 2,
  }),
};

function again(others: readonly string[]): string {
  if (others.length === 0) return "Check your answer and give it again.";
  const quotes = others.map((text, i) => `Another agent (${i + 1}) wrote:\n${quote(text)}`).join("\n\n");
  return `${quotes}\n\nUse what the others wrote as additional information, and answer the question again.`;
}
