import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { pluralityOf } from "../vote.ts";

const mostSamples = 64;
const tokenBudget = 4096;

/** One agent that samples and votes until the tokens that a team would spend are spent: what a team has to beat. */
export const equalBudget: Baseline = {
  name: "equal-budget",
  title: "Single agent, equal tokens",
  source: "Laconic; self-consistency bounded by prompt and completion tokens",
  calls: "as many as the tokens of a question allow (tokens), at least 1, at most 64",
  temperature: 0.7,
  create: ({ reader, answerForm, maxTokens, tokens = tokenBudget, exemplars }) =>
    programTopology({
      name: "equal-budget",
      agents: ["solver"],
      play: async (stage) => {
        const prompt = chat(`${stepByStep} ${answerForm}`, stage.problem.question, exemplars);
        for (let spent = 0, sample = 0; sample === 0 || (spent < tokens && sample < mostSamples); sample++) {
          const [turn] = await stage.say({ agent: "solver", prompt, maxTokens });
          spent += (turn?.call.promptTokens ?? 0) + (turn?.call.writtenTokens ?? 0);
        }
      },
      answer: (turns) => {
        return pluralityOf(turns, reader);
      },
    }),
  tokenBudget,
  mostCalls: () => mostSamples,
  mostCopies: () => ({ questions: mostSamples, examples: mostSamples, replies: 0 }),
};
