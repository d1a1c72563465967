import { programTopology, quote } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

/** The actor drafts, an untrained critic comments, the actor answers again. */
export const untrainedCritic: Baseline = {
  name: "critic",
  title: "Critic-Actor, untrained",
  source: "AgentPO (ICLR 2026), before training",
  calls: "3",
  temperature: 0,
  create: ({ answerForm, maxTokens }) =>
    programTopology({
      name: "critic",
      agents: ["actor", "critic"],
      play: async (stage) => {
        const { question } = stage.problem;
        const system = `${stepByStep} ${answerForm}`;
        const [draft] = await stage.say({ agent: "actor", prompt: chat(system, question), maxTokens });
        const drafted = `${question}\n\nA solution:\n${quote(draft?.utterance.text ?? "")}`;
        const [comment] = await stage.say({
          agent: "critic",
          prompt: chat("Point out errors and gaps in the solution. Do not write one of your own.", drafted),
          reads: draft ? [draft.message] : [],
          maxTokens,
        });
        const commented = `${drafted}\n\nA comment:\n${quote(comment?.utterance.text ?? "")}\n\nImprove the solution.`;
        await stage.say({
          agent: "actor",
          prompt: chat(system, commented),
          reads: [draft, comment].flatMap((turn) => (turn ? [turn.message] : [])),
          maxTokens,
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "actor")?.utterance ?? null,
    }),
  mostCalls: () => 3,
  mostCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
};
