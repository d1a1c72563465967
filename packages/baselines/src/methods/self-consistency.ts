import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { pluralityOf } from "../vote.ts";

/** Samples of one prompt, and the plurality of their answers. Multi-agent papers take 5, the original 40. */
export const selfConsistency: Baseline = {
  name: "sc",
  title: "Self-Consistency",
  source: "Wang et al. 2023; N = 5 as in the AgentPrune family of papers",
  calls: "N, 5 unless told (samples)",
  temperature: 0.7,
  create: ({ reader, answerForm, maxTokens, samples = 5, exemplars }) =>
    programTopology({
      name: "sc",
      agents: ["solver"],
      play: async (stage) => {
        const prompt = chat(`${stepByStep} ${answerForm}`, stage.problem.question, exemplars);
        await stage.say(...Array.from({ length: samples }, () => ({ agent: "solver", prompt, maxTokens })));
      },
      answer: (turns) => {
        return pluralityOf(turns, reader);
      },
    }),
  mostCalls: ({ samples = 5 }) => samples,
  mostCopies: ({ samples = 5 }) => ({ questions: samples, examples: samples, replies: 0 }),
};
