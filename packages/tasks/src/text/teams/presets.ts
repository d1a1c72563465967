import { criticTemplates, hintTemplates } from "@laconic/baselines";
import { refuseSetting, type AgentId, present } from "@laconic/core";
import {
  answerOf,
  chainGraph,
  chatTemplate,
  completeGraph,
  criticActorGraph,
  debateGraph,
  debatePrompt,
  hintActorGraph,
  layeredGraph,
  plurality,
  problemText,
  type PromptTemplate,
  quoted,
  randomGraph,
  solving,
  unanimous,
} from "@laconic/topologies";
import { collaborator, debate, roles } from "./behind-hint.ts";
import { numbered, slot, teamOn, wordingFor, type TeamPreset, type TextTeamOptions } from "./text-team.ts";

const pass = "PASS";

const holderPrompt: PromptTemplate = chatTemplate(
  "holder@1",
  `You know a part of a problem that others have to solve. Tell them what matters of it in as few words as you can. Reply ${pass} if nothing does.`,
  (view) => (view.inbox.length === 0 ? problemText(view) : `${problemText(view)}\n\n${quoted(view)}`),
);

/** Sorts this round's messages first, for a longer common prefix. */
function advisedPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("advised@2", solving(answerForm), (view) => {
    const inbox = view.inbox.toSorted((a, b) => b.round - a.round || a.turn - b.turn);
    const received = quoted({ inbox }, (from) => `Agent ${from}`);
    return received === ""
      ? problemText(view)
      : `${problemText(view)}\n\n${received}\n\nUse what the others say as advice, check it, and answer.`;
  });
}

function slots(options: TextTeamOptions, ids: readonly AgentId[], template: PromptTemplate) {
  return ids.map((id) => slot(options, id, template, options.replyTokens));
}

function holdersAndSolver(options: TextTeamOptions) {
  const holders = numbered("holder", options.agents);
  const prompt = chatTemplate(
    "gatherer@2",
    solving(options.answerForm),
    (view) => `${problemText(view)}\n\n${quoted(view)}`,
  );
  const solver = slot(options, "solver", prompt, options.actorTokens);
  return { holders, solver, specs: slots(options, holders, holderPrompt) };
}

function debateOf(options: TextTeamOptions) {
  const ids = numbered("debater", options.agents);
  const specs = slots(options, ids, debatePrompt(options.answerForm));
  const graph = debateGraph(specs, { rounds: options.rounds, answer: plurality<AgentId>(ids, options.read) });
  return { ids, graph };
}

function pairOf(options: TextTeamOptions, templates: typeof hintTemplates, method: "hint" | "critic") {
  const { helper, actor } = templates(wordingFor(method, options));
  return {
    helper: slot(options, collaborator, helper, options.replyTokens),
    actor: slot(options, "actor", actor, options.actorTokens),
  };
}

/** Name of a team over text. */
export type TeamName =
  | "solo"
  | "hint"
  | "critic"
  | "debate"
  | "roles"
  | "star"
  | "chain"
  | "plain-debate"
  | "agreeing-debate"
  | "layered"
  | "complete"
  | "random";

const teams: Readonly<Record<TeamName, Omit<TeamPreset, "name">>> = {
  solo: {
    summary: "one solver, which learns",
    heeds: [],
    make: (options) => {
      const template = chatTemplate("solve@2", solving(options.answerForm), problemText);
      const agents = slots(options, ["solver"], template);
      return teamOn({ name: "solo", agents, rounds: 1, answer: answerOf<string>("solver") }, ["solver"]);
    },
  },
  /** AgentPO's pair: q -> h -> y. */
  hint: {
    summary: "a collaborator gives an actor a hint; the collaborator learns",
    heeds: [],
    methods: ["hint"],
    make: (options) => {
      const { helper, actor } = pairOf(options, hintTemplates, "hint");
      return teamOn(hintActorGraph(helper, actor), [collaborator]);
    },
  },
  /** AgentPO's other pair: q -> y_init -> c -> y_ref. */
  critic: {
    summary: "a collaborator comments on an actor's draft, the actor answers again; the collaborator learns",
    heeds: [],
    methods: ["critic"],
    make: (options) => {
      const { helper, actor } = pairOf(options, criticTemplates, "critic");
      return teamOn(criticActorGraph(actor, helper), [collaborator]);
    },
  },
  debate,
  roles,
  /** Agent-GSPO's distributed information, one hop. */
  star: {
    summary: "holders each know a part and write to the solver at the same time; all learn",
    heeds: ["agents"],
    make: (options) => {
      const { holders, specs, solver } = holdersAndSolver(options);
      return teamOn({ ...layeredGraph([specs, [solver]]), name: "star", pass }, [...holders, "solver"], holders);
    },
  },
  chain: {
    summary: "holders each know a part, read the agent before and write to the next; the solver is last, and all learn",
    heeds: ["agents"],
    make: (options) => {
      const { holders, specs, solver } = holdersAndSolver(options);
      const [first, ...others] = [...specs, solver];
      return teamOn({ ...chainGraph([first ?? solver, ...others]), pass }, [...holders, "solver"], holders);
    },
  },
  /** Debate of Du et al. */
  "plain-debate": {
    summary: "debaters answer, read each other and answer again; all learn, and the majority's answer counts",
    heeds: ["agents", "rounds"],
    make: (options) => {
      const { ids, graph } = debateOf(options);
      return teamOn({ ...graph, name: "plain-debate" }, ids);
    },
  },
  "agreeing-debate": {
    summary: "as plain-debate, and the debate ends as soon as all answers are equal; all learn",
    heeds: ["agents", "rounds"],
    make: (options) => {
      const { ids, graph } = debateOf(options);
      return teamOn({ ...graph, name: "agreeing-debate", until: unanimous(ids, options.read) }, ids);
    },
  },
  /** Mixture-of-agents of Wang et al. (2024) with a vote. */
  layered: {
    summary: "each layer answers after reading the layer before; all learn, and the last layer votes",
    heeds: ["agents", "rounds"],
    make: (options) => {
      const { rounds, agents, answerForm, read } = options;
      if (rounds < 2) refuseSetting("task.rounds", "a layered team has at least 2 layers");
      const template = advisedPrompt(answerForm);
      const layers = Array.from({ length: rounds }, (_, layer) => numbered(`layer-${layer + 1}-agent`, agents));
      const specs = layers.map((ids) => slots(options, ids, template));
      return teamOn(layeredGraph(specs, plurality<AgentId>(layers.at(-1) ?? [], read)), layers.flat());
    },
  },
  complete: {
    summary:
      "agents answer in turn, each reads the others' latest messages; all learn, and the majority's answer counts",
    heeds: ["agents", "rounds"],
    make: (options) => {
      const ids = numbered("agent", options.agents);
      const specs = slots(options, ids, advisedPrompt(options.answerForm));
      return teamOn(completeGraph(specs, options.rounds, plurality<AgentId>(ids, options.read)), ids);
    },
  },
  random: {
    summary: "as complete, with only some of the edges, drawn by seed once for the run; all learn",
    heeds: ["agents", "rounds", "graphSeed", "density"],
    make: (options) => {
      const { agents, rounds, answerForm, read, graphSeed: seed = 0, density } = options;
      const ids = numbered("agent", agents);
      const specs = slots(options, ids, advisedPrompt(answerForm));
      const answer = plurality<AgentId>(ids, read);
      return teamOn(randomGraph(specs, { seed, rounds, answer, ...present({ density }) }), ids);
    },
  },
};

/** All names of teams over text. */
export const teamNames: readonly TeamName[] = Object.keys(teams) as TeamName[];

/** All named teams. */
export const teamPresets: Readonly<Record<TeamName, TeamPreset>> = Object.fromEntries(
  teamNames.map((name) => [name, { name, ...teams[name] }]),
) as Record<TeamName, TeamPreset>;
