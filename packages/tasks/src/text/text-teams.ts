import { LaconicError, type AgentId, type Topology } from "@laconic/core";
import {
  answerOf,
  chainGraph,
  chatTemplate,
  criticActor,
  criticPrompt,
  graphTopology,
  hintActor,
  hintPrompt,
  hintedActorPrompt,
  layeredGraph,
  mixture,
  namedRole,
  plurality,
  problemText,
  quoted,
  revisingActorPrompt,
  routerPrompt,
  solo,
  solving,
  type AgentSpec,
  type AgentView,
  type Edge,
  type PromptTemplate,
} from "@laconic/topologies";

/** Every name of a team over text. */
export const teamNames = ["solo", "hint", "critic", "debate", "roles", "star", "chain"] as const;
/** The name of a team over text. */
export type TeamName = (typeof teamNames)[number];

/** A team over text: who speaks when, and who learns. */
export interface TextTeam {
  readonly topology: Topology;
  readonly trained: readonly AgentId[];
  /** Agents among whom what a problem states is dealt; nobody where everybody sees all. */
  readonly holders: readonly AgentId[];
}

/** Size of a team over text, and how its answer is written and read. */
export interface TextTeamOptions {
  /** Holders of a star or chain, debaters. */
  readonly agents: number;
  /** Of a debate, the first answers included. */
  readonly rounds: number;
  /** Most tokens of a reply of those who learn. */
  readonly replyTokens: number;
  /** Most tokens of a reply of those who do not. */
  readonly actorTokens: number;
  /** How an answer has to be written: the benchmark's, `answerForm`. */
  readonly answerForm: string;
  /** The answer that a reply gives, for votes; null when it gives none. */
  readonly read: (reply: string) => string | null;
}

const pass = "PASS";

const solvePrompt = (answerForm: string): PromptTemplate =>
  chatTemplate("solve@2", solving(answerForm), (view) => problemText(view));

/** Agent-GSPO's holders: each knows a part, and words cost. */
const holderPrompt = chatTemplate(
  "holder@1",
  `You know a part of a problem that others have to solve. Tell them what matters of it in as few words as you can. Reply ${pass} if nothing does.`,
  (view) => (view.inbox.length === 0 ? problemText(view) : `${problemText(view)}\n\n${quoted(view)}`),
);

const gathererPrompt = (answerForm: string): PromptTemplate =>
  chatTemplate("gatherer@2", solving(answerForm), (view) => `${problemText(view)}\n\n${quoted(view)}`);

/** AgentPO's extension: a debate as it is, with a collaborator's hint for everybody. */
const hintedDebaterPrompt = (answerForm: string): PromptTemplate =>
  chatTemplate("hinted-debater@2", solving(answerForm), (view) => {
    const others = quoted(withoutHint(view), (from) => (from === view.agent ? "You" : `Agent ${from}`));
    const heard =
      others === "" ? "" : `\n\n${others}\n\nUse what the others say as advice, check it, and answer again.`;
    return `${hinted(view)}${heard}`;
  });

/** A role assignment as it is, with a collaborator's hint for the expert. */
const hintedExpertPrompt = (answerForm: string): PromptTemplate => ({
  id: "hinted-expert@2",
  render: (view) => {
    const role = namedRole(view.inbox.find(({ from }) => from === "router")?.text ?? "");
    return chatTemplate("", `You are a ${role}. ${solving(answerForm)}`, hinted).render(view);
  },
});

const collaborator = "collaborator";

function withoutHint(view: AgentView): AgentView {
  return { ...view, inbox: view.inbox.filter(({ from }) => from !== collaborator) };
}

function hinted(view: AgentView): string {
  const hint = view.inbox.find(({ from, silent }) => from === collaborator && !silent)?.text;
  return hint === undefined ? problemText(view) : `${problemText(view)}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
}

/** A team by name. Debate and roles are AgentPO's: what was there stays frozen, one collaborator is put in and learns. */
export function textTeam(name: TeamName, options: TextTeamOptions): TextTeam {
  const { agents, rounds, replyTokens, actorTokens, answerForm, read } = options;
  const agent = (id: string, template: PromptTemplate, maxTokens: number, own?: readonly number[]): AgentSpec => ({
    id,
    role: template.id,
    prompt: (view) => template.render(view),
    maxTokens,
    ...(own && { rounds: own }),
  });
  const numbered = (role: string): string[] => Array.from({ length: agents }, (_, i) => `${role}-${i + 1}`);
  const hint = agent(collaborator, hintPrompt, replyTokens, name === "debate" ? [0] : undefined);
  const team = (topology: Topology, trained: readonly string[], holders: readonly string[] = []): TextTeam => ({
    topology,
    trained,
    holders,
  });
  switch (name) {
    case "solo":
      return team(solo(agent("solver", solvePrompt(answerForm), replyTokens)), ["solver"]);
    case "hint":
      return team(hintActor(hint, agent("actor", hintedActorPrompt(answerForm), actorTokens)), [collaborator]);
    case "critic": {
      const critic = agent(collaborator, criticPrompt, replyTokens);
      return team(criticActor(agent("actor", revisingActorPrompt(answerForm), actorTokens), critic), [collaborator]);
    }
    case "debate": {
      const debaters = numbered("debater");
      const toAll = (from: string): Edge[] => debaters.map((to) => ({ from, to }));
      const graph = {
        name: "hinted-debate",
        agents: [hint, ...debaters.map((id) => agent(id, hintedDebaterPrompt(answerForm), actorTokens))],
        rounds,
        spatial: toAll(collaborator),
        temporal: [...debaters, collaborator].flatMap((from) => toAll(from)),
        answer: plurality<AgentId>(debaters, read),
      };
      return team(graphTopology<AgentId>(graph), [collaborator]);
    }
    case "roles": {
      const expert = agent("expert", hintedExpertPrompt(answerForm), actorTokens);
      const graph = {
        name: "hinted-role-assignment",
        agents: [hint, agent("router", routerPrompt, 64), expert],
        rounds: 1,
        spatial: [
          { from: collaborator, to: "expert" },
          { from: "router", to: "expert" },
        ],
        answer: answerOf<AgentId>("expert"),
      };
      return team(graphTopology<AgentId>(graph), [collaborator]);
    }
    case "star": {
      const holders = numbered("holder");
      const seats = holders.map((id) => agent(id, holderPrompt, replyTokens));
      const graph = layeredGraph([seats, [agent("solver", gathererPrompt(answerForm), actorTokens)]]);
      return team(graphTopology<AgentId>({ ...graph, name: "star", pass }), [...holders, "solver"], holders);
    }
    case "chain": {
      const holders = numbered("holder");
      const [first, ...seats] = holders.map((id) => agent(id, holderPrompt, replyTokens)) as [
        AgentSpec,
        ...AgentSpec[],
      ];
      const last = agent("solver", gathererPrompt(answerForm), actorTokens);
      const graph = chainGraph([first, ...seats, last]);
      return team(graphTopology<AgentId>({ ...graph, pass }), [...holders, "solver"], holders);
    }
  }
}

/**
 * One team, or several with the same learners, each for its share of the problems.
 * @throws LaconicError `config_invalid` for teams of which not the same agents learn, or that know different parts
 */
export function textTeams(names: readonly TeamName[], options: TextTeamOptions): TextTeam {
  const teams = names.map((name) => textTeam(name, options));
  const [first] = teams;
  if (!first) throw new LaconicError("config_invalid", "task.team names no team", { key: "task.team" });
  if (teams.length === 1) return first;
  const differs = teams.some(
    ({ trained, holders }) => trained.join() !== first.trained.join() || holders.join() !== first.holders.join(),
  );
  if (differs)
    throw new LaconicError(
      "config_invalid",
      `task.team: ${names.join(", ")} cannot be mixed: the same agents have to learn in all of them`,
      { key: "task.team" },
    );
  return {
    ...first,
    topology: mixture(
      teams.map(({ topology }) => topology),
      names.join("+"),
    ),
  };
}
