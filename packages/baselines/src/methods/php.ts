import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

/**
 * Progressive-Hint Prompting: ask, then ask again with all earlier answers as a hint, until two in a row are equal. The
 * released code has no end (`php/unbounded`); here it is 10 interactions, or `rounds`.
 */
export const php: Baseline = {
  name: "php",
  title: "PHP",
  source: "Zheng et al. 2023; Progressive-Hint@aca5acc6",
  calls: "2 or more, until the last two answers are equal; at most 10 (rounds)",
  temperature: 0,
  create: ({ reader, answerForm, maxTokens, rounds = 10, exemplars }) =>
    programTopology({
      name: "php",
      agents: ["solver"],
      play: async (stage) => {
        const answers: string[] = [];
        let before: string | null = null;
        for (let i = 0; i < rounds; i++) {
          const hint = answers.length === 0 ? "" : `\n\n(Hint: the answer is near to ${answers.join(", ")}.)`;
          const prompt = chat(`${stepByStep} ${answerForm}`, `${stage.problem.question}${hint}`, exemplars);
          const [turn] = await stage.say({ agent: "solver", prompt, maxTokens });
          const answer = reader.read(turn?.utterance.text ?? "");
          if (answer !== null && before !== null && reader.same(before, answer)) return;
          if (answer !== null) answers.push(answer);
          before = answer;
        }
      },
      answer: (turns) => turns.findLast(({ utterance }) => reader.read(utterance.text) !== null)?.utterance ?? null,
    }),
  mostCalls: ({ rounds = 10 }) => rounds,
  // Each hint has all earlier answers.
  mostCopies: ({ rounds = 10 }) => ({ questions: rounds, examples: rounds, replies: (rounds * (rounds - 1)) / 2 }),
};
