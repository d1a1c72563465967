import type { AgentId } from "@laconic/core";
import { plurality, randomGraph } from "@laconic/topologies";
import { advisedPrompt } from "./advised.ts";
import { numbered, slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** The complete graph with edges left out by seed: one graph for the whole run. */
export const random: TeamPreset = {
  name: "random",
  summary: "as complete, with only some of the edges, drawn by seed once for the run; all learn",
  heeds: ["agents", "rounds", "graphSeed", "density"],
  make: (options) => {
    const { agents, rounds, answerForm, replyTokens, read, graphSeed: seed = 0, density } = options;
    const ids = numbered("agent", agents);
    const template = advisedPrompt(answerForm);
    const slots = ids.map((id) => slot(options, id, template, replyTokens));
    const answer = plurality<AgentId>(ids, read);
    return teamOn(randomGraph(slots, { seed, rounds, answer, ...(density !== undefined && { density }) }), ids);
  },
};
