import type { AgentId } from "@laconic/core";
import {
  chatTemplate,
  criticActor,
  criticPrompt,
  hintActor,
  hintedActorPrompt,
  hintPrompt,
  problemText,
  revisingActorPrompt,
  type AgentSpec,
  type AgentView,
  type PromptTemplate,
} from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings, protocolsOf } from "../protocols/protocol-for.ts";
import type { Phase } from "../protocols/protocol.ts";
import { filled, textOf, type Script } from "../protocols/script.ts";

/** AgentPO's hint pair before training: released prompts if installed, else ours. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: protocolsOf<"hint" | "answer">("hint"),
  create: ({ phases }, options) => {
    const { script, answerForm } = options;
    const words = script ? releasedWords(script) : { hint: hintPrompt, actor: hintedActorPrompt(answerForm) };
    return hintActor(
      agentFor("collaborator", words.hint, phases.hint, options),
      agentFor("actor", words.actor, phases.answer, options),
    );
  },
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});

/** AgentPO's critic pair before training. */
export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: protocolsOf<"critique" | "answer">("critic"),
  create: ({ phases }, options) => {
    const { script, answerForm } = options;
    const words = script ? releasedWords(script) : { reviser: revisingActorPrompt(answerForm), critic: criticPrompt };
    return criticActor(
      agentFor("actor", words.reviser, phases.answer, options),
      agentFor("critic", words.critic, phases.critique, options),
    );
  },
  maxCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
});

function agentFor(
  id: AgentId,
  { id: role, render }: PromptTemplate,
  phase: Phase,
  options: BaselineOptions,
): AgentSpec {
  return { id, role, prompt: render, maxTokens: phaseSettings(phase, options).maxTokens };
}

/** The critic flow's second actor prompt differs and quotes the draft. */
function releasedWords(script: Script): Record<"hint" | "actor" | "reviser" | "critic", PromptTemplate> {
  const { name } = script;
  const text = (key: string): string => textOf(script, key);
  const first = chatTemplate("", text("solver"), (view) => `${problemText(view)}${text("suffix")}`);
  const again = chatTemplate("", text("reviser"), (view) => {
    const own = view.inbox.find(({ from }) => from === view.agent)?.text ?? "";
    return `${filled(text("problem"), problemText(view), own, heardFrom(view))}${text("suffix")}`;
  });
  return {
    hint: chatTemplate(`${name}/hint`, text("hint"), problemText),
    actor: chatTemplate(
      `${name}/actor`,
      text("solver"),
      (view) => `${filled(text("problem"), problemText(view), heardFrom(view))}${text("suffix")}`,
    ),
    reviser: { id: `${name}/actor`, render: (view) => (view.round === 0 ? first : again).render(view) },
    critic: chatTemplate(`${name}/critic`, text("critic"), (view) =>
      filled(text("draft"), problemText(view), heardFrom(view)),
    ),
  };
}

function heardFrom({ inbox, agent }: AgentView): string {
  return inbox.find(({ from }) => from !== agent)?.text ?? "";
}
