import { relayTokenizer, type TeamTask } from "@laconic/tasks";
import { taughtTask } from "./policy-facts.ts";
import type { ChatTokenizer } from "@laconic/core";

/** What a model's prompts are written in: the relay's tokens where it was taught them, otherwise those of its folder. */
export async function policyTokenizer(
  folder: string,
  templateArguments: Readonly<Record<string, unknown>>,
): Promise<TeamTask["tokenizer"]> {
  return (await taughtTask(folder))?.startsWith("relay/") ? relayTokenizer : tokenizerIn(folder, templateArguments);
}

/** The tokenizer of a model's folder. Loaded where it is asked for: worlds with tokens of their own need none. */
export async function tokenizerIn(
  folder: string,
  templateArguments: Readonly<Record<string, unknown>>,
): Promise<ChatTokenizer> {
  return (await import("@laconic/hub/tokenizers")).loadTokenizer(folder, { templateArguments });
}
