import type { BaselineOptions } from "@laconic/baselines";
import { LaconicError, type Prompt, type Topology } from "@laconic/core";
import { programTopology, withBudget, type AgentSpec, type Program, type Stage } from "@laconic/topologies";
import { withHint } from "./collaborator.ts";
import type { TextTeamOptions } from "./text-team.ts";

/**
 * A published method as it is, on the question with a hint behind it: the helper speaks first, and whoever is asked the question reads
 * both. Where the hint is silence, every request is the method's own.
 * @throws LaconicError `topology_invalid` for a method that has an agent of the helper's name
 */
export function behindHint(
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
      const prompt = helper.prompt({ ...view, ...(budget && { budget }) });
      const [hint] = await stage.say({ agent: helper.id, prompt, maxTokens: helper.maxTokens });
      const heard = hint && !hint.message.silent ? hint.message : null;
      const hinted = (text: string): string => (heard ? withHint(text, heard.text) : text);
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
              reads: [...(heard ? [heard] : []), ...(line.reads ?? [])],
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
export function methodOptions(options: TextTeamOptions): BaselineOptions {
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
export function drawn(id: string, maxTokens: number): AgentSpec {
  return { id, role: id, maxTokens, prompt: () => ({ kind: "text", text: "" }) };
}
