import type { AgentId } from "@laconic/core";
import { completeGraph, plurality } from "@laconic/topologies";
import { advisedPrompt } from "./advised.ts";
import { numbered, slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** Everybody hears everybody: those before within a round, the others from the round before. */
export const complete: TeamPreset = {
  name: "complete",
  summary:
    "agents answer in turn, each hears all the others' latest words; all learn, and the majority's answer counts",
  heeds: ["agents", "rounds"],
  make: (options) => {
    const ids = numbered("agent", options.agents);
    const template = advisedPrompt(options.answerForm);
    const slots = ids.map((id) => slot(options, id, template, options.replyTokens));
    return teamOn(completeGraph(slots, options.rounds, plurality<AgentId>(ids, options.read)), ids);
  },
};
