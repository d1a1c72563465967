import type { ChatMessage, Prompt } from "@laconic/core";
import type { Exemplar } from "../protocols/baseline.ts";
import { shotMessages } from "../protocols/choose-shots.ts";
import type { Role, Shots } from "../protocols/protocol.ts";

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

/** A question in a chat of its own, behind a system message where there is one. */
export function asked(content: string, system?: string): Prompt {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  return { kind: "messages", messages: [...messages, { role: "user", content }] };
}

/** The wording of all methods here; a change of any sentence is another version. */
export const promptVersion = "baselines@5";

export const stepByStep = "Reason step by step.";

/** Tells a model its role; empty for nobody in particular. */
export function roleLine(role: Role | undefined): string {
  const who = role?.title === undefined ? "" : `You are ${/^[aeiou]/iu.test(role.title) ? "an" : "a"} ${role.title}.`;
  return [who, role?.duty ?? ""].filter((part) => part !== "").join(" ");
}
