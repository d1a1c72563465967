import type { AgentId } from "@laconic/core";
import { debateGraph, debatePrompt, plurality } from "@laconic/topologies";
import { numbered, slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** Du et al.'s debate, in which every debater learns. */
export const plainDebate: TeamPreset = {
  name: "plain-debate",
  summary: "debaters answer, hear each other and answer again; all learn, and the majority's answer counts",
  heeds: ["agents", "rounds"],
  make: (options) => {
    const debaters = numbered("debater", options.agents);
    const template = debatePrompt(options.answerForm);
    const graph = debateGraph(
      debaters.map((id) => slot(options, id, template, options.replyTokens)),
      { rounds: options.rounds, answer: plurality<AgentId>(debaters, options.read) },
    );
    return teamOn({ ...graph, name: "plain-debate" }, debaters);
  },
};
