import { baselineNamed, roleAssignmentProgram } from "@laconic/baselines";
import type { AgentId } from "@laconic/core";
import { answerOf, hintPrompt, type Graph } from "@laconic/topologies";
import { behindHint, drawn, methodOptions } from "./behind-hint.ts";
import { collaborator } from "./collaborator.ts";
import { slot } from "./slots.ts";
import type { TeamPreset } from "./text-team.ts";

/** AgentPO's extension: Role Assignment as `@laconic/baselines` plays it stays frozen, with a collaborator's hint. */
export const roles: TeamPreset = {
  name: "roles",
  summary: "Role Assignment as it is published, on the question with a hint; a collaborator gives it and learns",
  heeds: [],
  make: (options) => {
    const method = roleAssignmentProgram(methodOptions(options));
    const helper = slot(options, collaborator, hintPrompt, options.replyTokens);
    const graph: Graph = {
      name: "hinted-role-assignment",
      agents: [helper, ...method.agents.map((id) => drawn(id, options.actorTokens))],
      rounds: 1,
      spatial: [
        { from: collaborator, to: "router" },
        { from: collaborator, to: "expert" },
        { from: "router", to: "expert" },
      ],
      answer: answerOf<AgentId>("expert"),
    };
    const { temperature } = baselineNamed("role-assignment");
    return {
      topology: behindHint(graph.name, method, helper, options),
      trained: [collaborator],
      holders: [],
      graph,
      temperatures: Object.fromEntries(method.agents.map((id) => [id, temperature])),
    };
  },
};
