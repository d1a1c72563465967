import { hintActor, hintedActorPrompt, hintPrompt } from "@laconic/topologies";
import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { hintProtocols } from "../protocols/untrained.ts";
import { agentForPhase } from "./agent-for-phase.ts";

/** AgentPO's pair before training: the very prompts of the team that is trained. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: hintProtocols,
  create: ({ phases }, options) =>
    hintActor(
      agentForPhase("collaborator", hintPrompt, phases.hint, options),
      agentForPhase("actor", hintedActorPrompt(options.answerForm), phases.answer, options),
    ),
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});
