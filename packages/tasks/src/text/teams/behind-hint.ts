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
import { collaborator, withHint } from "./collaborator.ts";
import { numbered, slot, type TeamPreset, type TextTeamOptions } from "./text-team.ts";

/**
 * A published method as it is, on the question with a hint behind it: the helper speaks first, and whoever is asked the question reads
 * both. Where the hint is silence, every request is the method's own.
 * @throws LaconicError `topology_invalid` for a method that has an agent of the helper's name
 */
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
      const own: Stage = {
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
      };
      await method.play(own);
    },
    answer: (turns) => method.answer(turns.slice(1)),
  });
}

/** A prompt of the method with the budget, as `withBudget` says it. */
function withSentence(prompt: Prompt, { problem: { question }, budget }: Stage): Prompt {
  const { render } = withBudget({ id: "published", render: () => prompt });
  return render({ agent: "", role: "", question, inbox: [], round: 0, ...(budget && { budget }) });
}

/** What a published method is built for, as a part of a team. */
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

/** A slot that is drawn alone: what it is asked is the method's. */
function drawn(id: string, maxTokens: number): AgentSpec {
  return { id, role: id, maxTokens, prompt: () => ({ kind: "text", text: "" }) };
}

/** AgentPO's extension: LLM-Debate as `@laconic/baselines` plays it stays frozen, one collaborator is put in and learns. */
export const debate: TeamPreset = {
  name: "debate",
  summary: "LLM-Debate as it is published, on the question with one hint for all; a collaborator gives it and learns",
  heeds: ["agents", "rounds"],
  make: (options) => {
    const { agents, rounds, actorTokens } = options;
    const debaters = numbered("debater", agents);
    const method = debateProgram({ ...methodOptions(options), agents, rounds });
    const helper = slot(options, collaborator, hintPrompt, options.replyTokens, [0]);
    const hints: readonly Edge[] = debaters.map((to) => ({ from: collaborator, to }));
    const others = debaters.flatMap((from) => debaters.filter((to) => to !== from).map((to): Edge => ({ from, to })));
    const graph: Graph = {
      name: "hinted-debate",
      agents: [helper, ...debaters.map((id) => drawn(id, actorTokens))],
      rounds,
      spatial: hints,
      temporal: [...others, ...hints],
      answer: plurality<AgentId>(debaters, options.read),
    };
    const { temperature } = baselineNamed("debate");
    return {
      topology: behindHint(graph.name, method, helper, options),
      trained: [collaborator],
      holders: [],
      graph,
      temperatures: Object.fromEntries(debaters.map((id) => [id, temperature])),
    };
  },
};

/** AgentPO's extension: Role Assignment as `@laconic/baselines` plays it stays frozen, with a collaborator's hint. */
export const roles: TeamPreset = {
  name: "roles",
  summary: "Role Assignment as it is published, on the question with a hint; a collaborator gives it and learns",
  heeds: [],
  make: (options) => {
    const method = roleAssignmentProgram(methodOptions(options));
    const helper = slot(options, collaborator, hintPrompt, options.replyTokens);
    const graph: Graph = {
      name: "hinted-role-assignment",
      agents: [helper, ...method.agents.map((id) => drawn(id, options.actorTokens))],
      rounds: 1,
      spatial: [
        { from: collaborator, to: "router" },
        { from: collaborator, to: "expert" },
        { from: "router", to: "expert" },
      ],
      answer: answerOf<AgentId>("expert"),
    };
    const { temperature } = baselineNamed("role-assignment");
    return {
      topology: behindHint(graph.name, method, helper, options),
      trained: [collaborator],
      holders: [],
      graph,
      temperatures: Object.fromEntries(method.agents.map((id) => [id, temperature])),
    };
  },
};
