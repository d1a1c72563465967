import { LaconicError } from "@laconic/core";
import type { TokenizerFiles } from "./tokenizer-files.ts";

/** The control tokens of a vocabulary. */
export interface SpecialTokens {
  /** Id by text. */
  readonly ids: ReadonlyMap<string, number>;
  /** Text by role, such as `bos_token`: what chat templates call them. */
  readonly byRole: Readonly<Record<string, string>>;
  /** All tokens that end an utterance, the tokenizer's own first. */
  readonly ends: readonly number[];
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

export function addedTokens({ tokenizer }: Pick<TokenizerFiles, "tokenizer">): readonly AddedToken[] {
  return (tokenizer["added_tokens"] ?? []) as readonly AddedToken[];
}

/** @throws LaconicError `model_unsupported` when nothing ends an utterance. */
export function specialTokens(files: TokenizerFiles): SpecialTokens {
  const ids = new Map(
    addedTokens(files)
      .filter(({ special }) => special)
      .map(({ content, id }) => [content, id]),
  );
  const byRole: Record<string, string> = {};
  for (const [key, value] of Object.entries(files.config)) {
    const text =
      typeof value === "object" && value !== null ? (value as { readonly content?: unknown }).content : value;
    if (key.endsWith("_token") && typeof text === "string") byRole[key] = text;
  }
  const stated = files.generation["eos_token_id"];
  const own = ids.get(byRole["eos_token"] ?? "");
  const ends = [...new Set([own, stated].flat().filter((id): id is number => typeof id === "number"))];
  if (ends.length === 0)
    throw new LaconicError(
      "model_unsupported",
      "neither tokenizer_config.json (eos_token) nor generation_config.json (eos_token_id) names a token that ends a reply",
      { key: "eos_token" },
    );
  return { ids, byRole, ends };
}
