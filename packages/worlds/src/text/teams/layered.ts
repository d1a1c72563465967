import { LaconicError, type AgentId } from "@laconic/core";
import { layeredGraph, plurality } from "@laconic/topologies";
import { advisedPrompt } from "./advised.ts";
import { numbered, slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** The mixture-of-agents of Wang et al. (2024) in a vote's form: `rounds` layers of `agents` each. */
export const layered: TeamPreset = {
  name: "layered",
  summary: "layers answer one after the other, each hears the whole layer before; all learn, and the last layer votes",
  heeds: ["agents", "rounds"],
  make: (options) => {
    if (options.rounds < 2)
      throw new LaconicError("config_invalid", "task.rounds: a layered team has at least 2 layers", {
        key: "task.rounds",
      });
    const template = advisedPrompt(options.answerForm);
    const layers = Array.from({ length: options.rounds }, (_, layer) =>
      numbered(`layer-${layer + 1}-agent`, options.agents),
    );
    const graph = layeredGraph(
      layers.map((ids) => ids.map((id) => slot(options, id, template, options.replyTokens))),
      plurality<AgentId>(layers.at(-1) ?? [], options.read),
    );
    return teamOn(graph, layers.flat());
  },
};
