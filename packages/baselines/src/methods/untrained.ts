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

function agentForPhase(
  id: AgentId,
  { id: role, render }: PromptTemplate,
  phase: Phase,
  options: BaselineOptions,
): AgentSpec {
  return { id, role, prompt: render, maxTokens: phaseSettings(phase, options).maxTokens };
}

/** AgentPO's pair before training: the released prompts where they are here, else those of the team that is trained. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: protocolsOf<"hint" | "answer">("hint"),
  create: ({ phases }, options) => {
    const { script, answerForm } = options;
    const prompts = script ? scriptedHint(script) : { hint: hintPrompt, actor: hintedActorPrompt(answerForm) };
    return hintActor(
      agentForPhase("collaborator", prompts.hint, phases.hint, options),
      agentForPhase("actor", prompts.actor, phases.answer, options),
    );
  },
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});

/** AgentPO's other pair before training. */
export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: protocolsOf<"critique" | "answer">("critic"),
  create: ({ phases }, options) => {
    const { script, answerForm } = options;
    const prompts = script ? scriptedCritic(script) : { actor: revisingActorPrompt(answerForm), critic: criticPrompt };
    return criticActor(
      agentForPhase("actor", prompts.actor, phases.answer, options),
      agentForPhase("critic", prompts.critic, phases.critique, options),
    );
  },
  maxCopies: () => ({ questions: 3, examples: 0, replies: 3 }),
});

function scriptedHint(script: Script): { readonly hint: PromptTemplate; readonly actor: PromptTemplate } {
  const { name } = script;
  return {
    hint: chatTemplate(`${name}/hint`, textOf(script, "hint"), problemText),
    actor: chatTemplate(
      `${name}/actor`,
      textOf(script, "solver"),
      (view) => `${filled(textOf(script, "problem"), problemText(view), heardFrom(view))}${textOf(script, "suffix")}`,
    ),
  };
}

/** AgentPO's critic flow: the actor is asked anew, with its draft quoted, and told something else than at first. */
function scriptedCritic(script: Script): { readonly actor: PromptTemplate; readonly critic: PromptTemplate } {
  const { name } = script;
  const suffix = textOf(script, "suffix");
  const first = chatTemplate("", textOf(script, "solver"), (view) => `${problemText(view)}${suffix}`);
  const again = chatTemplate("", textOf(script, "reviser"), (view) => {
    const own = view.inbox.find(({ from }) => from === view.agent)?.text ?? "";
    return `${filled(textOf(script, "problem"), problemText(view), own, heardFrom(view))}${suffix}`;
  });
  return {
    actor: { id: `${name}/actor`, render: (view) => (view.round === 0 ? first : again).render(view) },
    critic: chatTemplate(`${name}/critic`, textOf(script, "critic"), (view) =>
      filled(textOf(script, "draft"), problemText(view), heardFrom(view)),
    ),
  };
}

function heardFrom({ inbox, agent }: AgentView): string {
  return inbox.find(({ from }) => from !== agent)?.text ?? "";
}
