import { programTopology, quote } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

const correct = /^\s*(?:verdict\s*:\s*)?correct\b/imu;

/**
 * Self-Refine: answer, then criticise and revise until the criticism calls the work correct; at most 4 rounds. The form
 * without programs (ADAS): the history of all attempts and comments grows.
 */
export const selfRefine: Baseline = {
  name: "self-refine",
  title: "Self-Refine",
  source: "Madaan et al. 2023; reflexion form of ADAS@2702bee8",
  calls: "1 to 1 + 2 x 4 (rounds)",
  temperature: 0.5,
  create: ({ answerForm, maxTokens, rounds = 4, exemplars }) =>
    programTopology({
      name: "self-refine",
      agents: ["solver", "critic"],
      play: async (stage) => {
        const { question } = stage.problem;
        const [draft] = await stage.say({
          agent: "solver",
          prompt: chat(`${stepByStep} ${answerForm}`, question, exemplars),
          maxTokens,
        });
        const history = [`First attempt:\n${quote(draft?.utterance.text ?? "")}`];
        for (let round = 0; round < rounds; round++) {
          const all = `${question}\n\n${history.join("\n\n")}`;
          const [comment] = await stage.say({
            agent: "critic",
            prompt: chat(
              "Check the latest attempt. Begin with the word CORRECT if nothing is wrong; otherwise begin with WRONG and say what to change.",
              all,
            ),
            reads: stage.turns.slice(-1).map(({ message }) => message),
            maxTokens,
          });
          const text = comment?.utterance.text ?? "";
          if (correct.test(text)) return;
          history.push(`Comment:\n${quote(text)}`);
          const [revised] = await stage.say({
            agent: "solver",
            prompt: chat(
              `${stepByStep} ${answerForm}`,
              `${question}\n\n${history.join("\n\n")}\n\nGive a better answer.`,
            ),
            reads: comment ? [comment.message] : [],
            maxTokens,
          });
          history.push(`Next attempt:\n${quote(revised?.utterance.text ?? "")}`);
        }
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "solver")?.utterance ?? null,
    }),
  mostCalls: ({ rounds = 4 }) => 1 + 2 * rounds,
  // Each call reads all that was said before it.
  mostCopies: ({ rounds = 4 }) => ({ questions: 1 + 2 * rounds, examples: 1, replies: rounds * (2 * rounds + 1) }),
};
