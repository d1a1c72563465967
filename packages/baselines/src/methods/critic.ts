import { programTopology, quote } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { methodOf } from "../method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { criticProtocols } from "../protocols/untrained.ts";

/** The actor drafts, an untrained critic comments, the actor answers again. */
export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: criticProtocols,
  create: (protocol, options) => {
    const { answerForm } = options;
    const { draft: drafting, critique, revise } = protocol.phases;
    return programTopology({
      name: "critic",
      agents: ["actor", "critic"],
      play: async (stage) => {
        const { question } = stage.problem;
        const system = `${stepByStep} ${answerForm}`;
        const [draft] = await stage.say({
          agent: "actor",
          prompt: chat(system, question),
          ...phaseSettings(drafting, options),
        });
        const drafted = `${question}\n\nA solution:\n${quote(draft?.utterance.text ?? "")}`;
        const [comment] = await stage.say({
          agent: "critic",
          prompt: chat("Point out errors and gaps in the solution. Do not write one of your own.", drafted),
          reads: draft ? [draft.message] : [],
          ...phaseSettings(critique, options),
        });
        const commented = `${drafted}\n\nA comment:\n${quote(comment?.utterance.text ?? "")}\n\nImprove the solution.`;
        await stage.say({
          agent: "actor",
          prompt: chat(system, commented),
          reads: [draft, comment].flatMap((turn) => (turn ? [turn.message] : [])),
          ...phaseSettings(revise, options),
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "actor")?.utterance ?? null,
    });
  },
  mostCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
});
