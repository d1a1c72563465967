import { layeredGraph } from "@laconic/topologies";
import { gathererPrompt, holderPrompt, pass } from "./holders.ts";
import { numbered, slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** Agent-GSPO's distributed information, one hop. */
export const star: TeamPreset = {
  name: "star",
  summary: "holders each know a part and tell the solver at once, unheard by each other; all learn",
  heeds: ["agents"],
  make: (options) => {
    const holders = numbered("holder", options.agents);
    const slots = holders.map((id) => slot(options, id, holderPrompt, options.replyTokens));
    const solver = slot(options, "solver", gathererPrompt(options.answerForm), options.actorTokens);
    const graph = layeredGraph([slots, [solver]]);
    return teamOn({ ...graph, name: "star", pass }, [...holders, "solver"], holders);
  },
};
