import { chatTemplate, problemText, quoted, solving, type PromptTemplate } from "@laconic/topologies";

/** What a holder says to say nothing. */
export const pass = "PASS";

/** Agent-GSPO's holders: each knows a part, and words cost. */
export const holderPrompt: PromptTemplate = chatTemplate(
  "holder@1",
  `You know a part of a problem that others have to solve. Tell them what matters of it in as few words as you can. Reply ${pass} if nothing does.`,
  (view) => (view.inbox.length === 0 ? problemText(view) : `${problemText(view)}\n\n${quoted(view)}`),
);

/** The solver, which knows what holders tell it. */
export function gathererPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("gatherer@2", solving(answerForm), (view) => `${problemText(view)}\n\n${quoted(view)}`);
}
