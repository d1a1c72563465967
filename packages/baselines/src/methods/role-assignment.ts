import { expertRoles, namedRole, programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

/** A routing call names one of three roles, one call answers in it; any other reply makes it a helpful assistant. */
export const roleAssignment: Baseline = {
  name: "role-assignment",
  title: "Role Assignment",
  source: "ADAS@2702bee8",
  calls: "2",
  temperature: 0.5,
  create: ({ answerForm, maxTokens, exemplars }) =>
    programTopology({
      name: "role-assignment",
      agents: ["router", "expert"],
      play: async (stage) => {
        const { question } = stage.problem;
        const [routed] = await stage.say({
          agent: "router",
          prompt: chat(`Choose who should answer: ${expertRoles.join(", ")}. Reply with the name alone.`, question),
          maxTokens: Math.min(64, maxTokens),
        });
        const role = namedRole(routed?.utterance.text ?? "");
        await stage.say({
          agent: "expert",
          prompt: chat(`You are a ${role}. ${stepByStep} ${answerForm}`, question, exemplars),
          reads: routed ? [routed.message] : [],
          maxTokens,
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "expert")?.utterance ?? null,
    }),
  mostCalls: () => 2,
  mostCopies: () => ({ questions: 2, examples: 1, replies: 0 }),
};
