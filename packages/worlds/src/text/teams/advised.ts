import { chatTemplate, problemText, quoted, solving, type PromptTemplate } from "@laconic/topologies";

/** Answers, with what others said before as advice: for graphs in which some hear others at once and some never do. */
export function advisedPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("advised@1", solving(answerForm), (view) => {
    const heard = quoted(view, (from) => `Agent ${from}`);
    return heard === ""
      ? problemText(view)
      : `${problemText(view)}\n\n${heard}\n\nUse what the others say as advice, check it, and answer.`;
  });
}
