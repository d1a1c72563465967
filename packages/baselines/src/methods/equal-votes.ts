import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { equalVotesProtocols } from "../protocols/equal-budget.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { pluralityOf } from "../playing/vote.ts";
import { tokensGiven, tokensOf } from "./tokens-given.ts";

/**
 * One agent that samples and votes until the tokens of a team are spent: what the team has to beat. A sample begins while any are
 * left, so that the last one may end beyond them.
 */
export const equalVotes: Baseline = {
  ...methodOf({
    name: "equal-budget:votes",
    title: "Single agent, equal tokens, votes",
    protocols: equalVotesProtocols,
    create: (protocol, options) => {
      const { reader, answerForm } = options;
      const tokens = tokensGiven("equal-budget:votes", options);
      const exemplars = shotsOf(protocol, options);
      return programTopology({
        name: "equal-budget",
        agents: ["solver"],
        play: async (stage) => {
          const prompt = chat(`${stepByStep} ${answerForm}`, stage.problem.question, exemplars);
          for (let spent = 0, sample = 0; sample === 0 || spent < tokens; sample++) {
            if (sample === protocol.calls.most) return stage.note("capped");
            const said = await stage.say({
              agent: "solver",
              prompt,
              ...phaseSettings(protocol.phases.answer, options),
            });
            spent += tokensOf(said);
          }
        },
        answer: (turns) => pluralityOf(turns, reader),
      });
    },
    maxCopies: () => ({ questions: maxSamples, examples: maxSamples, replies: 0 }),
  }),
  equalTokens: true,
};

const maxSamples = equalVotesProtocols[0]?.calls.most ?? 0;
