import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { methodOf } from "../method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { equalBudgetProtocols } from "../protocols/untrained.ts";
import { pluralityOf } from "../vote.ts";

const tokenBudget = 4096;

/** One agent that samples and votes until the tokens that a team would spend are spent: what a team has to beat. */
export const equalBudget: Baseline = {
  ...methodOf({
    name: "equal-budget",
    title: "Single agent, equal tokens",
    protocols: equalBudgetProtocols,
    create: (protocol, options) => {
      const { reader, answerForm, tokens = tokenBudget } = options;
      const most = protocol.samples ?? 1;
      const exemplars = shotsOf(protocol, options);
      return programTopology({
        name: "equal-budget",
        agents: ["solver"],
        play: async (stage) => {
          const prompt = chat(`${stepByStep} ${answerForm}`, stage.problem.question, exemplars);
          for (let spent = 0, sample = 0; sample === 0 || (spent < tokens && sample < most); sample++) {
            const [turn] = await stage.say({
              agent: "solver",
              prompt,
              ...phaseSettings(protocol.phases.answer, options),
            });
            spent += (turn?.call.promptTokens ?? 0) + (turn?.call.writtenTokens ?? 0);
          }
        },
        answer: (turns) => pluralityOf(turns, reader),
      });
    },
    mostCopies: ({ samples = 1 }) => ({ questions: samples, examples: samples, replies: 0 }),
  }),
  tokenBudget,
};
