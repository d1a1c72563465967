import { baselineNamed, type BaselineOptions, debateProgram, roleAssignmentProgram } from "@laconic/baselines";
import { type AgentId, LaconicError, type Prompt, type Topology } from "@laconic/core";
import {
  asPrompt,
  type AgentSpec,
  answerOf,
  type Edge,
  type Graph,
  hintPrompt,
  plurality,
  type Program,
  programTopology,
  type Stage,
  withBudget,
} from "@laconic/topologies";
import { numbered, slot, type TeamPreset, type TextTeam, type TextTeamOptions } from "./text-team.ts";

export const collaborator = "collaborator";

export function withHint(problem: string, hint: string): string {
  return `${problem}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
}

/** AgentPO's extension: frozen LLM-Debate with a trained collaborator. */
export const debate: TeamPreset = {
  name: "debate",
  summary: "LLM-Debate as it is published, on the question with one hint for all; a collaborator gives it and learns",
  heeds: ["agents", "rounds"],
  make: (options) => {
    const { agents, rounds } = options;
    const debaters = numbered("debater", agents);
    const hints: readonly Edge[] = debaters.map((to) => ({ from: collaborator, to }));
    const others = debaters.flatMap((from) => debaters.filter((to) => to !== from).map((to): Edge => ({ from, to })));
    return hintedTeam(options, "debate", debateProgram({ ...methodOptions(options), agents, rounds }), {
      name: "hinted-debate",
      rounds,
      spatial: hints,
      temporal: [...others, ...hints],
      answer: plurality<AgentId>(debaters, options.read),
    });
  },
};

/** AgentPO's extension: frozen Role Assignment with a trained collaborator. */
export const roles: TeamPreset = {
  name: "roles",
  summary: "Role Assignment as it is published, on the question with a hint; a collaborator gives it and learns",
  heeds: [],
  make: (options) =>
    hintedTeam(options, "role-assignment", roleAssignmentProgram(methodOptions(options)), {
      name: "hinted-role-assignment",
      rounds: 1,
      spatial: [
        { from: collaborator, to: "router" },
        { from: collaborator, to: "expert" },
        { from: "router", to: "expert" },
      ],
      answer: answerOf<AgentId>("expert"),
    }),
};

/** The graph is only drawn. */
function hintedTeam(
  options: TextTeamOptions,
  baseline: "debate" | "role-assignment",
  method: Program,
  graph: Omit<Graph, "agents">,
): TextTeam {
  const { replyTokens, actorTokens } = options;
  const helper = slot(options, collaborator, hintPrompt, replyTokens, graph.rounds > 1 ? [0] : undefined);
  const drawn = method.agents.map((id): AgentSpec => {
    return { id, role: id, maxTokens: actorTokens, prompt: () => ({ kind: "text", text: "" }) };
  });
  const { temperature } = baselineNamed(baseline);
  return {
    topology: behindHint(graph.name, method, helper, options),
    trained: [collaborator],
    holders: [],
    graph: { ...graph, agents: [helper, ...drawn] },
    temperatures: Object.fromEntries(method.agents.map((id) => [id, temperature])),
  };
}

function methodOptions(options: TextTeamOptions): BaselineOptions {
  const { read, same = (a, b) => a === b, answerForm, actorTokens: maxTokens, family, benchmark } = options;
  return {
    reader: { read, same },
    answerForm,
    maxTokens,
    ...(family !== undefined && { family }),
    ...(benchmark !== undefined && { benchmark }),
  };
}

/** Adds the hint to every prompt with the question. */
function behindHint(
  name: string,
  method: Program,
  helper: AgentSpec,
  { showBudget = false }: Pick<TextTeamOptions, "showBudget">,
): Topology {
  if (method.agents.includes(helper.id))
    throw new LaconicError("topology_invalid", `${name}: the method has an agent ${helper.id} already`, { name });
  return programTopology({
    ...method,
    name,
    agents: [helper.id, ...method.agents],
    play: async (stage) => {
      const { problem, budget } = stage;
      const view = { agent: helper.id, role: helper.role, question: problem.question, inbox: [], round: 0 };
      const prompt = asPrompt(helper.prompt({ ...view, ...(budget && { budget }) }));
      const [hint] = await stage.say({ agent: helper.id, prompt, maxTokens: helper.maxTokens });
      const received = hint && !hint.message.silent ? hint.message : null;
      const hinted = (text: string): string => (received ? withHint(text, received.text) : text);
      await method.play({
        ...stage,
        problem: { ...problem, question: hinted(problem.question) },
        shown: (agent) => hinted(stage.shown(agent)),
        get turns() {
          return stage.turns.slice(1);
        },
        say: (...lines) =>
          stage.say(
            ...lines.map((line) => ({
              ...line,
              prompt: showBudget ? withSentence(line.prompt, stage) : line.prompt,
              reads: [...(received ? [received] : []), ...(line.reads ?? [])],
            })),
          ),
      });
    },
    answer: (turns) => method.answer(turns.slice(1)),
  });
}

function withSentence(prompt: Prompt, { problem: { question }, budget }: Stage): Prompt {
  const { render } = withBudget({ id: "published", render: () => prompt });
  return render({ agent: "", role: "", question, inbox: [], round: 0, ...(budget && { budget }) });
}
