import type { AgentId } from "@laconic/core";
import {
  chatTemplate,
  hintPrompt,
  plurality,
  quoted,
  solving,
  type Edge,
  type PromptTemplate,
} from "@laconic/topologies";
import { collaborator, hinted, withoutHint } from "./collaborator.ts";
import { numbered, seat } from "./seats.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

const hintedDebaterPrompt = (answerForm: string): PromptTemplate =>
  chatTemplate("hinted-debater@2", solving(answerForm), (view) => {
    const others = quoted(withoutHint(view), (from) => (from === view.agent ? "You" : `Agent ${from}`));
    const heard =
      others === "" ? "" : `\n\n${others}\n\nUse what the others say as advice, check it, and answer again.`;
    return `${hinted(view)}${heard}`;
  });

/** AgentPO's extension: a debate as it is stays frozen, one collaborator is put in and learns. */
export const debate: TeamPreset = {
  name: "debate",
  summary:
    "debaters answer, hear each other and answer again, with one hint for all; a collaborator gives it and learns",
  heeds: ["agents", "rounds"],
  make: (options) => {
    const debaters = numbered("debater", options.agents);
    const toAll = (from: AgentId): Edge[] => debaters.map((to) => ({ from, to }));
    const graph = {
      name: "hinted-debate",
      agents: [
        seat(options, collaborator, hintPrompt, options.replyTokens, [0]),
        ...debaters.map((id) => seat(options, id, hintedDebaterPrompt(options.answerForm), options.actorTokens)),
      ],
      rounds: options.rounds,
      spatial: toAll(collaborator),
      temporal: [...debaters, collaborator].flatMap((from) => toAll(from)),
      answer: plurality<AgentId>(debaters, options.read),
    };
    return teamOn(graph, [collaborator]);
  },
};
