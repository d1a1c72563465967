import { chainGraph } from "@laconic/topologies";
import { gathererPrompt, holderPrompt, pass } from "./holders.ts";
import { numbered, slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** Agent-GSPO's distributed information, passed on from one to the next. */
export const chain: TeamPreset = {
  name: "chain",
  summary: "holders each know a part, hear the one before and tell the next; the solver is the last, and all learn",
  heeds: ["agents"],
  make: (options) => {
    const holders = numbered("holder", options.agents);
    const [first, ...slots] = holders.map((id) => slot(options, id, holderPrompt, options.replyTokens));
    const solver = slot(options, "solver", gathererPrompt(options.answerForm), options.actorTokens);
    const graph = chainGraph(first ? [first, ...slots, solver] : [solver]);
    return teamOn({ ...graph, pass }, [...holders, "solver"], holders);
  },
};
