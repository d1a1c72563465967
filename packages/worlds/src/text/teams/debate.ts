import { baselineNamed, debateProgram } from "@laconic/baselines";
import type { AgentId } from "@laconic/core";
import { hintPrompt, plurality, type Edge, type Graph } from "@laconic/topologies";
import { behindHint, drawn, methodOptions } from "./behind-hint.ts";
import { collaborator } from "./collaborator.ts";
import { numbered, slot } from "./slots.ts";
import type { TeamPreset } from "./text-team.ts";

/** AgentPO's extension: LLM-Debate as `@laconic/baselines` plays it stays frozen, one collaborator is put in and learns. */
export const debate: TeamPreset = {
  name: "debate",
  summary: "LLM-Debate as it is published, on the question with one hint for all; a collaborator gives it and learns",
  heeds: ["agents", "rounds"],
  make: (options) => {
    const { agents, rounds, actorTokens } = options;
    const debaters = numbered("debater", agents);
    const method = debateProgram({ ...methodOptions(options), agents, rounds });
    const helper = slot(options, collaborator, hintPrompt, options.replyTokens, [0]);
    const hints: readonly Edge[] = debaters.map((to) => ({ from: collaborator, to }));
    const others = debaters.flatMap((from) => debaters.filter((to) => to !== from).map((to): Edge => ({ from, to })));
    const graph: Graph = {
      name: "hinted-debate",
      agents: [helper, ...debaters.map((id) => drawn(id, actorTokens))],
      rounds,
      spatial: hints,
      temporal: [...others, ...hints],
      answer: plurality<AgentId>(debaters, options.read),
    };
    const { temperature } = baselineNamed("debate");
    return {
      topology: behindHint(graph.name, method, helper, options),
      trained: [collaborator],
      holders: [],
      graph,
      temperatures: Object.fromEntries(debaters.map((id) => [id, temperature])),
    };
  },
};
