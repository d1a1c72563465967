import { hintActorGraph, hintedActorPrompt, hintPrompt } from "@laconic/topologies";
import { collaborator } from "./collaborator.ts";
import { slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** AgentPO's pair: q -> h -> y. */
export const hint: TeamPreset = {
  name: "hint",
  summary: "a collaborator gives an actor a hint; the collaborator learns",
  heeds: [],
  make: (options) => {
    const helper = slot(options, collaborator, hintPrompt, options.replyTokens);
    const actor = slot(options, "actor", hintedActorPrompt(options.answerForm), options.actorTokens);
    return teamOn(hintActorGraph(helper, actor), [collaborator]);
  },
};
