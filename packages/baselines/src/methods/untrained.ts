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

/** Prompts of AgentPO's collaborator and actor. */
export interface PairTemplates {
  readonly helper: PromptTemplate;
  readonly actor: PromptTemplate;
}

type Wording = Pick<BaselineOptions, "answerForm" | "script">;

/** Prompts of the hint pair, for the bench and for training: the script's texts, else ours. */
export function hintTemplates({ script, answerForm }: Wording): PairTemplates {
  if (!script) return { helper: hintPrompt, actor: hintedActorPrompt(answerForm) };
  const { text, suffixed } = textsOf(script);
  return {
    helper: chatTemplate(`${script.name}/hint`, text("hint"), problemText),
    actor: chatTemplate(`${script.name}/actor`, text("solver"), (view) =>
      suffixed(filled(text("problem"), problemText(view), heardFrom(view))),
    ),
  };
}

/** Prompts of the critic pair. In AgentPO's test, the actor reads the critic's whole request, and replies are trimmed. */
export function criticTemplates({ script, answerForm }: Wording): PairTemplates {
  if (!script) return { helper: criticPrompt, actor: revisingActorPrompt(answerForm) };
  const { text, suffixed } = textsOf(script);
  const isTest = text("review") !== "";
  const request = (view: AgentView, draft: string): string =>
    filled(text("draft"), problemText(view), isTest ? draft.trim() : draft);
  const first = chatTemplate("", text("solver"), (view) => suffixed(problemText(view)));
  const again = chatTemplate("", text("reviser"), (view) => {
    const draft = view.inbox.find(({ from }) => from === view.agent)?.text ?? "";
    const comment = heardFrom(view);
    return suffixed(
      isTest
        ? filled(text("review"), request(view, draft), comment.trimEnd())
        : filled(text("problem"), problemText(view), draft, comment),
    );
  });
  return {
    helper: chatTemplate(`${script.name}/critic`, text("critic"), (view) =>
      isTest ? request(view, heardFrom(view)).trim() : request(view, heardFrom(view)),
    ),
    actor: { id: `${script.name}/actor`, render: (view) => (view.round === 0 ? first : again).render(view) },
  };
}

/** AgentPO's hint pair before training: released prompts if installed, else ours. */
export const untrainedHint: Baseline = methodOf({
  name: "hint",
  title: "Hint-Actor, untrained",
  protocols: protocolsOf<"hint" | "answer">("hint"),
  create: ({ phases }, options) => {
    const { helper, actor } = hintTemplates(options);
    return hintActor(
      agentFor("collaborator", helper, phases.hint, options),
      agentFor("actor", actor, phases.answer, options),
    );
  },
  maxCopies: () => ({ questions: 2, examples: 0, replies: 1 }),
});

export const untrainedCritic: Baseline = methodOf({
  name: "critic",
  title: "Critic-Actor, untrained",
  protocols: protocolsOf<"critique" | "answer">("critic"),
  create: ({ phases }, options) => {
    const { helper, actor } = criticTemplates(options);
    return criticActor(
      agentFor("actor", actor, phases.answer, options),
      agentFor("critic", helper, phases.critique, options),
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

function textsOf(script: Script) {
  const text = (key: string): string => textOf(script, key);
  return { text, suffixed: (request: string): string => `${request}${text("suffix")}` };
}

function heardFrom({ inbox, agent }: AgentView): string {
  return inbox.find(({ from }) => from !== agent)?.text ?? "";
}
