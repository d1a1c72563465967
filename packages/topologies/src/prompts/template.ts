import type { ChatMessage, Prompt } from "@laconic/core";
import type { AgentView } from "../view.ts";

/** Prompt of an agent; results name its id. */
export interface PromptTemplate {
  /** `name@version`; changed wording is a new version. */
  readonly id: string;
  readonly render: (view: AgentView) => Prompt;
}

/** Template with one system and one user message. */
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

/**
 * Instruction for answering.
 * @param answerForm - answer format of the benchmark
 */
export function solving(answerForm: string): string {
  return `Reason step by step. ${answerForm}`;
}

/** Question with the agent's private part. */
export function problemText({ question, privateView }: Pick<AgentView, "question" | "privateView">): string {
  return privateView === undefined ? question : `${question}\n\nOnly you know:\n${privateView}`;
}

export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Marks every line as a quotation. */
export function quote(text: string): string {
  return text
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/u)
    .map((line) => `> ${line}`)
    .join("\n");
}

/** Quotes line by line, so that no message can imitate a speaker, an instruction, or the end of the quotation. */
export function quoted(
  { inbox }: Pick<AgentView, "inbox">,
  nameOf: (from: string, position: number) => string = (from) => from,
): string {
  return inbox
    .filter(({ silent }) => !silent)
    .map(({ from, text }, i) => `${nameOf(from, i)} wrote:\n${quote(text)}`)
    .join("\n\n");
}
