import type { AgentId } from "@laconic/core";
import {
  answerOf,
  chatTemplate,
  hintPrompt,
  namedRole,
  routerPrompt,
  solving,
  type PromptTemplate,
} from "@laconic/topologies";
import { collaborator, hinted } from "./collaborator.ts";
import { seat } from "./seats.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

const hintedExpertPrompt = (answerForm: string): PromptTemplate => ({
  id: "hinted-expert@2",
  render: (view) => {
    const role = namedRole(view.inbox.find(({ from }) => from === "router")?.text ?? "");
    return chatTemplate("", `You are a ${role}. ${solving(answerForm)}`, hinted).render(view);
  },
});

/** AgentPO's extension: a role assignment as it is stays frozen, with a collaborator's hint for the expert. */
export const roles: TeamPreset = {
  name: "roles",
  summary: "a router names an expert's role, a collaborator gives the expert a hint; the collaborator learns",
  heeds: [],
  make: (options) => {
    const graph = {
      name: "hinted-role-assignment",
      agents: [
        seat(options, collaborator, hintPrompt, options.replyTokens),
        seat(options, "router", routerPrompt, 64),
        seat(options, "expert", hintedExpertPrompt(options.answerForm), options.actorTokens),
      ],
      rounds: 1,
      spatial: [
        { from: collaborator, to: "expert" },
        { from: "router", to: "expert" },
      ],
      answer: answerOf<AgentId>("expert"),
    };
    return teamOn(graph, [collaborator]);
  },
};
