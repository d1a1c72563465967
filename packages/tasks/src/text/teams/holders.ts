import {
  chainGraph,
  chatTemplate,
  layeredGraph,
  problemText,
  type PromptTemplate,
  quoted,
  solving,
} from "@laconic/topologies";
import { numbered, slot, teamOn, type TeamPreset } from "./text-team.ts";

/** What a holder says to say nothing. */
const pass = "PASS";

/** Agent-GSPO's holders: each knows a part, and words cost. */
const holderPrompt: PromptTemplate = chatTemplate(
  "holder@1",
  `You know a part of a problem that others have to solve. Tell them what matters of it in as few words as you can. Reply ${pass} if nothing does.`,
  (view) => (view.inbox.length === 0 ? problemText(view) : `${problemText(view)}\n\n${quoted(view)}`),
);

/** The solver, which knows what holders tell it. */
function gathererPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("gatherer@2", solving(answerForm), (view) => `${problemText(view)}\n\n${quoted(view)}`);
}

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
