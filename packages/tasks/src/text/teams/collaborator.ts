import { problemText, type AgentView } from "@laconic/topologies";

/** AgentPO's agent that learns beside agents that do not. */
export const collaborator = "collaborator";

/** A view as if there were no collaborator. */
export function withoutHint(view: AgentView): AgentView {
  return { ...view, inbox: view.inbox.filter(({ from }) => from !== collaborator) };
}

/** The problem, then the collaborator's hint in brackets that it cannot close. */
export function hinted(view: AgentView): string {
  const hint = view.inbox.find(({ from, silent }) => from === collaborator && !silent)?.text;
  return hint === undefined ? problemText(view) : `${problemText(view)}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
}
