import type { ChatMessage, Prompt } from "@laconic/core";
import type { AgentView } from "../view.ts";

/** How an agent is asked: replaceable as a whole, and named in results by its id. */
export interface PromptTemplate {
  /** `name@version`: another wording is another version. */
  readonly id: string;
  readonly render: (view: AgentView) => Prompt;
}

/** A template of one system message and one user message. */
export function chatTemplate(id: string, system: string, user: (view: AgentView) => string): PromptTemplate {
  return {
    id,
    render: (view): Prompt => {
      const messages: ChatMessage[] = [
        { role: "system", content: system },
        { role: "user", content: user(view) },
      ];
      return { kind: "messages", messages };
    },
  };
}

/** Instruction for agents that answer. @param answerForm - the form that the grader reads, from the benchmark */
export function solving(answerForm: string): string {
  return `Reason step by step. ${answerForm}`;
}

/** The question, and the agent's private part. */
export function problemText({ question, privateView }: Pick<AgentView, "question" | "privateView">): string {
  return privateView === undefined ? question : `${question}\n\nOnly you know:\n${privateView}`;
}

/** Parts of a prompt, a blank line between them; empty ones are left out. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** A text with every line marked as a quotation. */
export function quote(text: string): string {
  return text
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/u)
    .map((line) => `> ${line}`)
    .join("\n");
}

/**
 * Messages of others as quotations with every line marked, so that none can pose as another speaker, an instruction, or the end of
 * the quotation. Silent senders are left out.
 */
export function quoted(
  { inbox }: Pick<AgentView, "inbox">,
  nameOf: (from: string, position: number) => string = (from) => from,
): string {
  return inbox
    .filter(({ silent }) => !silent)
    .map(({ from, text }, i) => `${nameOf(from, i)} wrote:\n${quote(text)}`)
    .join("\n\n");
}
