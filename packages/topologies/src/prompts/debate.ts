import { chatTemplate, problemText, quoted, solving, type PromptTemplate } from "./template.ts";

/** Debate: answer, then answer again having read the others (the protocol of Du et al. 2023 in our wording). */
export function debatePrompt(answerForm: string): PromptTemplate {
  return chatTemplate("debate@2", `Solve the problem. ${solving(answerForm)}`, (view) =>
    view.round === 0
      ? problemText(view)
      : `${problemText(view)}\n\n${quoted(view, (from) => (from === view.agent ? "You" : `Agent ${from}`))}\n\nUse what the others say as advice, check it, and answer again.`,
  );
}
