import { chatTemplate, problemText, quoted, type PromptTemplate } from "./template.ts";

/** Debate: answer, then answer again having read the others (the protocol of Du et al. 2023 in our wording). */
export const debatePrompt: PromptTemplate = chatTemplate(
  "debate@1",
  "Solve the problem. Reason step by step, and put the final answer into \\boxed{}.",
  (view) =>
    view.round === 0
      ? problemText(view)
      : `${problemText(view)}\n\n${quoted(view, (from) => (from === view.agent ? "You" : `Agent ${from}`))}\n\nUse what the others say as advice, check it, and answer again.`,
);
