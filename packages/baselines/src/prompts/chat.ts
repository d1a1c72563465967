import type { ChatMessage, Prompt } from "@laconic/core";
import type { Exemplar } from "../baseline.ts";

/** A chat of one system message, worked examples as earlier turns, and the question. */
export function chat(system: string, user: string, exemplars: readonly Exemplar[] = []): Prompt {
  const shots = exemplars.flatMap(({ question, solution }): ChatMessage[] => [
    { role: "user", content: question },
    { role: "assistant", content: solution },
  ]);
  return {
    kind: "messages",
    messages: [{ role: "system", content: system }, ...shots, { role: "user", content: user }],
  };
}

/** The wording of all methods here; a change of any sentence is another version. */
export const promptVersion = "baselines@2";

export const stepByStep = "Reason step by step.";
