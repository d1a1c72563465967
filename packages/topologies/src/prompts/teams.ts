import type { ChatMessage, Prompt } from "@laconic/core";
import type { ReceivedMessage } from "../view.ts";
import { chatTemplate, paragraphs, problemText, type PromptTemplate, quoted, solving } from "./template.ts";

/** AgentPO's collaborator before the actor (our wording). */
export const hintPrompt: PromptTemplate = chatTemplate(
  "agentpo-hint@1",
  "You help another model to solve a problem. Say what is asked in clear words, name what matters and what is easily missed. Do not solve it.",
  (view) => problemText(view),
);

/** AgentPO's actor, with the hint. */
export function hintedActorPrompt(answerForm: string): PromptTemplate {
  return chatTemplate("agentpo-hinted-actor@2", solving(answerForm), (view) => {
    const hint = view.inbox.find(({ silent }) => !silent)?.text;
    return hint === undefined ? problemText(view) : `${problemText(view)}\n\n[Hint: ${hint.replaceAll("]", ")")}]`;
  });
}

/** AgentPO's critic. */
export const criticPrompt: PromptTemplate = chatTemplate(
  "agentpo-critic@1",
  "You review a solution. Point out errors and gaps. Do not write a solution of your own.",
  (view) => `${problemText(view)}\n\n${quoted(view, () => "The solver")}`,
);

/** AgentPO's actor; the draft is a separate message, so that the second turn extends the first. */
export function revisingActorPrompt(answerForm: string): PromptTemplate {
  return {
    id: "agentpo-revising-actor@3",
    render: (view): Prompt => {
      const isOwn = ({ from }: ReceivedMessage): boolean => from === view.agent;
      const comments = quoted({ inbox: view.inbox.filter((message) => !isOwn(message)) }, () => "A reviewer");
      const review = paragraphs(comments, "Improve the solution.");
      const draft = view.inbox.find((message) => isOwn(message) && !message.silent);
      const messages: ChatMessage[] = [{ role: "system", content: solving(answerForm) }];
      if (view.round === 0) messages.push({ role: "user", content: problemText(view) });
      else if (!draft) messages.push({ role: "user", content: paragraphs(problemText(view), review) });
      else
        messages.push(
          { role: "user", content: problemText(view) },
          { role: "assistant", content: draft.text },
          { role: "user", content: review },
        );
      return { kind: "messages", messages };
    },
  };
}

/** Debate (Du et al. 2023, our wording) with a shared prefix. */
export function debatePrompt(answerForm: string): PromptTemplate {
  return chatTemplate("debate@3", `Solve the problem. ${solving(answerForm)}`, (view) => {
    if (view.round === 0) return problemText(view);
    const reply = quoted({ inbox: view.inbox.toSorted((a, b) => a.turn - b.turn) }, (from) => `Agent ${from}`);
    const task = "Use what the others say as advice, check it, and answer again.";
    return paragraphs(problemText(view), reply, `${task} You are agent ${view.agent}.`);
  });
}
