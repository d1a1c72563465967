import { hintActor, hintedActorPrompt, hintPrompt } from "@laconic/topologies";
import type { Baseline } from "../baseline.ts";
import { methodOf } from "../method-of.ts";
import { hintProtocols } from "../protocols/untrained.ts";
import { seatOn } from "./seat-on.ts";

/** AgentPO's pair before training: the very prompts of the team that is trained. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: hintProtocols,
  create: ({ phases }, options) =>
    hintActor(
      seatOn("collaborator", hintPrompt, phases.hint, options),
      seatOn("actor", hintedActorPrompt(options.answerForm), phases.answer, options),
    ),
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});
