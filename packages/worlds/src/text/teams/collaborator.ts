/** AgentPO's agent that learns beside agents that do not. */
export const collaborator = "collaborator";

/** The problem, then the collaborator's hint in brackets that it cannot close. */
export function withHint(problem: string, hint: string): string {
  return `${problem}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
}
