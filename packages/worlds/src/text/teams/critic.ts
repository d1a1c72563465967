import { criticActorGraph, criticPrompt, revisingActorPrompt } from "@laconic/topologies";
import { collaborator } from "./collaborator.ts";
import { slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** AgentPO's other pair: q -> y_init -> c -> y_ref. */
export const critic: TeamPreset = {
  name: "critic",
  summary: "a collaborator comments on an actor's draft, the actor answers again; the collaborator learns",
  heeds: [],
  make: (options) => {
    const helper = slot(options, collaborator, criticPrompt, options.replyTokens);
    const actor = slot(options, "actor", revisingActorPrompt(options.answerForm), options.actorTokens);
    return teamOn(criticActorGraph(actor, helper), [collaborator]);
  },
};
