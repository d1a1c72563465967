import { baselineNamed, debateProgram, hintTemplates, roleAssignmentProgram } from "@laconic/baselines";
import type { BaselineOptions } from "@laconic/baselines";
import { type AgentId, LaconicError, type Prompt, type Topology, present } from "@laconic/core";
import { asPrompt, answerOf, plurality, programTopology, withBudget } from "@laconic/topologies";
import type { AgentSpec, Edge, Graph, Program, Stage } from "@laconic/topologies";
import { numbered, slot, wordingFor, type TeamPreset, type TextTeam, type TextTeamOptions } from "./text-team.ts";

export const collaborator = "collaborator";

export function withHint(problem: string, hint: string): string {
  return `${problem}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
}

/** AgentPO's extension: frozen LLM-Debate with a trained collaborator. */
export const debate: TeamPreset = {
  name: "debate",
  summary: "published LLM-Debate with one hint for all agents; the hint's writer learns",
  heeds: ["agents", "rounds"],
  methods: ["hint", "debate"],
  make: (options) => {
    const { agents, rounds } = options;
    const debaters = numbered("debater", agents);
    const hints: readonly Edge[] = debaters.map((to) => ({ from: collaborator, to }));
    const others = debaters.flatMap((from) => debaters.filter((to) => to !== from).map((to): Edge => ({ from, to })));
    return hintedTeam(options, "debate", debateProgram({ ...methodOptions(options, "debate"), agents, rounds }), {
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
  summary: "published Role Assignment with a hint; the hint's writer learns",
  heeds: [],
  methods: ["hint", "role-assignment"],
  make: (options) =>
    hintedTeam(options, "role-assignment", roleAssignmentProgram(methodOptions(options, "role-assignment")), {
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
  const { helper: template } = hintTemplates(wordingFor("hint", options));
  const helper = slot(options, collaborator, template, replyTokens, graph.rounds > 1 ? [0] : undefined);
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

function methodOptions(options: TextTeamOptions, method: string): BaselineOptions {
  const { read, same = (a, b) => a === b, actorTokens: maxTokens, family, benchmark } = options;
  return {
    reader: { read, same },
    ...wordingFor(method, options),
    maxTokens,
    ...present({ family, benchmark }),
  };
}

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
