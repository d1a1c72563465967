import {
  criticActorGraph,
  criticPrompt,
  hintActorGraph,
  hintedActorPrompt,
  hintPrompt,
  revisingActorPrompt,
} from "@laconic/topologies";
import { slot, teamOn, type TeamPreset } from "./text-team.ts";

/** AgentPO's agent that learns beside agents that do not. */
export const collaborator = "collaborator";

/** The problem, then the collaborator's hint in brackets that it cannot close. */
export function withHint(problem: string, hint: string): string {
  return `${problem}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
}

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
