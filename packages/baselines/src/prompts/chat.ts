import type { ChatMessage, Prompt } from "@laconic/core";
import type { Exemplar } from "../baseline.ts";
import { shotMessages } from "../protocols/choose-shots.ts";
import type { Shots } from "../protocols/protocol.ts";

/** A chat of one system message, worked examples as earlier turns, and the question. */
export function chat(
  system: string,
  user: string,
  exemplars: readonly Exemplar[] = [],
  form: Shots["form"] = "chains",
): Prompt {
  const shots: ChatMessage[] = shotMessages(form, exemplars);
  return {
    kind: "messages",
    messages: [{ role: "system", content: system }, ...shots, { role: "user", content: user }],
  };
}

/** The wording of all methods here; a change of any sentence is another version. */
export const promptVersion = "baselines@2";

export const stepByStep = "Reason step by step.";
