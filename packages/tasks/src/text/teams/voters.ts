import { type AgentId, LaconicError } from "@laconic/core";
import {
  chatTemplate,
  completeGraph,
  debateGraph,
  debatePrompt,
  layeredGraph,
  plurality,
  problemText,
  type PromptTemplate,
  quoted,
  randomGraph,
  solving,
} from "@laconic/topologies";
import { numbered, slot, teamOn, type TeamPreset } from "./text-team.ts";

/**
 * Answers, with what others said before as advice: for graphs in which some hear others at once and some never do. What was said in
 * this round stands first, in order of turns: who speaks next reads the same and one message more.
 */
function advisedPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("advised@2", solving(answerForm), (view) => {
    const inbox = view.inbox.toSorted((a, b) => b.round - a.round || a.turn - b.turn);
    const received = quoted({ inbox }, (from) => `Agent ${from}`);
    return received === ""
      ? problemText(view)
      : `${problemText(view)}\n\n${received}\n\nUse what the others say as advice, check it, and answer.`;
  });
}

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
