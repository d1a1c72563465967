import type { ChatMessage, Prompt } from "@laconic/core";
import type { Exemplar } from "../protocols/baseline.ts";
import { shotMessages } from "../protocols/choose-shots.ts";
import type { Role, Shots } from "../protocols/protocol.ts";

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

export function asked(content: string, system?: string): Prompt {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  return { kind: "messages", messages: [...messages, { role: "user", content }] };
}

/** Changes with every sentence of the prompts. */
export const promptVersion = "baselines@5";

export const stepByStep = "Reason step by step.";

export function roleLine(role: Role | undefined): string {
  const who = role?.title === undefined ? "" : `You are ${/^[aeiou]/iu.test(role.title) ? "an" : "a"} ${role.title}.`;
  return [who, role?.duty ?? ""].filter((part) => part !== "").join(" ");
}
