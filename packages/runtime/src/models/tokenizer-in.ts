import type { ChatTokenizer } from "@laconic/core";
import type { AppConfig } from "../run/run-settings.ts";

/** The tokenizer of a model's folder. Loaded where it is asked for: worlds with tokens of their own need none. */
export async function tokenizerIn(
  folder: string,
  templateArguments: AppConfig["chatTemplateArguments"],
): Promise<ChatTokenizer> {
  return (await import("@laconic/hub/tokenizers")).loadTokenizer(folder, { templateArguments });
}
