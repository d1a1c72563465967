import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

/** An untrained collaborator rephrases the problem, the actor answers with its hint in brackets. */
export const untrainedHint: Baseline = {
  name: "hint",
  title: "Hint-Actor, untrained",
  source: "AgentPO (ICLR 2026), before training",
  calls: "2",
  temperature: 0,
  create: ({ answerForm, maxTokens }) =>
    programTopology({
      name: "hint",
      agents: ["collaborator", "actor"],
      play: async (stage) => {
        const { question } = stage.problem;
        const [hint] = await stage.say({
          agent: "collaborator",
          prompt: chat("Say what is asked in clear words, and name what matters. Do not solve it.", question),
          maxTokens,
        });
        const text = (hint?.utterance.text ?? "").replaceAll("]", ")");
        await stage.say({
          agent: "actor",
          prompt: chat(`${stepByStep} ${answerForm}`, text === "" ? question : `${question}\n\n[Hint: ${text}]`),
          reads: hint ? [hint.message] : [],
          maxTokens,
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "actor")?.utterance ?? null,
    }),
  mostCalls: () => 2,
  mostCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
};
