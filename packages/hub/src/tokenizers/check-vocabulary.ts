import { isRecord, LaconicError, type UnknownRecord } from "@laconic/core";

/** Max token id, as tables have this length. */
const mostTokens = 1 << 24;

/** @throws LaconicError `weights_invalid` for an id that is not a number below 2^24, or another format */
export function checkVocabulary(tokenizer: UnknownRecord, location: string): void {
  const refused = (reason: string): LaconicError =>
    new LaconicError("weights_invalid", `${location}: ${reason}`, { file: location });
  const checkId = (text: string, id: unknown): void => {
    if (!(typeof id === "number" && Number.isInteger(id) && id >= 0 && id < mostTokens))
      throw refused(`token ${JSON.stringify(text)} has id ${String(id)}, expected a whole number below ${mostTokens}`);
  };
  const model = tokenizer["model"];
  if (!isRecord(model)) throw refused("model is missing");
  const { vocab } = model;
  if (isRecord(vocab)) for (const [text, id] of Object.entries(vocab)) checkId(text, id);
  const added = tokenizer["added_tokens"] ?? [];
  if (!Array.isArray(added)) throw refused("added_tokens is not a list");
  for (const token of added as readonly unknown[]) {
    if (!isRecord(token) || typeof token["content"] !== "string") throw refused("an added token has no text");
    checkId(token["content"], token["id"]);
  }
}
