import { criticActor, criticPrompt, revisingActorPrompt } from "@laconic/topologies";
import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { criticProtocols } from "../protocols/untrained.ts";
import { agentForPhase } from "./agent-for-phase.ts";

/** AgentPO's other pair before training: the very prompts of the team that is trained. */
export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: criticProtocols,
  create: ({ phases }, options) =>
    criticActor(
      agentForPhase("actor", revisingActorPrompt(options.answerForm), phases.answer, options),
      agentForPhase("critic", criticPrompt, phases.critique, options),
    ),
  maxCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
});
