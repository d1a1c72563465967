import type { Prompt } from "@laconic/core";
import type { AgentSpec, AgentView } from "@laconic/topologies";

/**
 * Where a reply ends. A story model rarely writes its end token, so that without these every reply runs into its ceiling and
 * a price per token teaches nothing.
 */
const sentenceEnds: readonly string[] = [".", "!", "\n"];

/** An agent that goes on with a text: story models know no roles and no instructions. */
export function storyAgent(id: string, role: string, maxTokens: number, text: (view: AgentView) => string): AgentSpec {
  return { id, role, maxTokens, stop: sentenceEnds, prompt: (view) => continued(text(view)) };
}

/** The prompt that a model goes on with. */
export function continued(text: string): Prompt {
  return { kind: "text", text };
}

/** What was said as a part of the reader's text: the mark that ended it is not in it, and is put back; empty for silence. */
export function asSentence(said: string, mark = "."): string {
  const text = said.trim();
  return text === "" || /[,.!?"]$/u.test(text) ? text : `${text}${mark}`;
}
