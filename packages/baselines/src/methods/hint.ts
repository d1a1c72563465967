import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { methodOf } from "../method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { hintProtocols } from "../protocols/untrained.ts";

/** An untrained collaborator rephrases the problem, the actor answers with its hint in brackets. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: hintProtocols,
  create: (protocol, options) => {
    const { answerForm } = options;
    return programTopology({
      name: "hint",
      agents: ["collaborator", "actor"],
      play: async (stage) => {
        const { question } = stage.problem;
        const [hint] = await stage.say({
          agent: "collaborator",
          prompt: chat("Say what is asked in clear words, and name what matters. Do not solve it.", question),
          ...phaseSettings(protocol.phases.hint, options),
        });
        const text = (hint?.utterance.text ?? "").replaceAll("]", ")");
        await stage.say({
          agent: "actor",
          prompt: chat(`${stepByStep} ${answerForm}`, text === "" ? question : `${question}\n\n[Hint: ${text}]`),
          reads: hint ? [hint.message] : [],
          ...phaseSettings(protocol.phases.answer, options),
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "actor")?.utterance ?? null,
    });
  },
  mostCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});
