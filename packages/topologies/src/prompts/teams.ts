import { chatTemplate, problemText, type PromptTemplate, quoted, solving } from "./template.ts";

/** AgentPO's collaborator before the actor: says the problem more clearly (our wording). */
export const hintPrompt: PromptTemplate = chatTemplate(
  "agentpo-hint@1",
  "You help another model to solve a problem. Say what is asked in clear words, name what matters and what is easily missed. Do not solve it.",
  (view) => problemText(view),
);

/** AgentPO's actor behind a hint: the problem, then the hint in brackets. */
export function hintedActorPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("agentpo-hinted-actor@2", solving(answerForm), (view) => {
    const hint = view.inbox.find(({ silent }) => !silent)?.text;
    return hint === undefined ? problemText(view) : `${problemText(view)}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
  });
}

/** AgentPO's critic: errors and gaps, no rewriting. */
export const criticPrompt: PromptTemplate = chatTemplate(
  "agentpo-critic@1",
  "You review a solution. Point out errors and gaps. Do not write a solution of your own.",
  (view) => `${problemText(view)}\n\n${quoted(view, () => "The solver")}`,
);

/** AgentPO's actor around a critic: first a draft, then a better solution from draft and comment. */
export function revisingActorPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("agentpo-revising-actor@2", solving(answerForm), (view) =>
    view.round === 0
      ? problemText(view)
      : `${problemText(view)}\n\n${quoted(view, (from) => (from === view.agent ? "You" : "A reviewer"))}\n\nImprove the solution.`,
  );
}

/** Debate: answer, then answer again having read the others (the protocol of Du et al. 2023 in our wording). */
export function debatePrompt(answerForm: string): PromptTemplate {
  return chatTemplate("debate@2", `Solve the problem. ${solving(answerForm)}`, (view) =>
    view.round === 0
      ? problemText(view)
      : `${problemText(view)}\n\n${quoted(view, (from) => (from === view.agent ? "You" : `Agent ${from}`))}\n\nUse what the others say as advice, check it, and answer again.`,
  );
}
