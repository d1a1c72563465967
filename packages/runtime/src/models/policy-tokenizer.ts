import { relayTokenizer, type TeamTask } from "@laconic/tasks";
import type { AppConfig } from "../run/run-settings.ts";
import { taughtTask } from "./policy-facts.ts";
import { tokenizerIn } from "./tokenizer-in.ts";

/** What a model's prompts are written in: the relay's tokens where it was taught them, otherwise those of its folder. */
export async function policyTokenizer(
  folder: string,
  templateArguments: AppConfig["chatTemplateArguments"],
): Promise<TeamTask["tokenizer"]> {
  return (await taughtTask(folder))?.startsWith("relay/") ? relayTokenizer : tokenizerIn(folder, templateArguments);
}
