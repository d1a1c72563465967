import { LaconicError } from "@laconic/core";
import type { TokenizerFiles } from "./tokenizer-files.ts";

export interface SpecialTokens {
  /** No prompt text encodes to these ids. */
  readonly ids: ReadonlyMap<string, number>;
  /** These and similar tokens; no message encodes to them. */
  readonly controls: ReadonlyMap<string, number>;
  /** Texts by role, such as `bos_token`, for chat templates. */
  readonly byRole: Readonly<Record<string, string>>;
  /** Tokens that end an utterance; the tokenizer's own first. */
  readonly ends: readonly number[];
}

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  /** Strips white space before or after it. */
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
}

/** Some checkpoints, such as DeepSeek's, mark turn tokens as plain. */
const delimiter = /^<[|｜].*[|｜]>$/su;

/** From `tokenizer.json`; a token with a role in `tokenizer_config.json` is special, as in transformers. */
export function addedTokens({ tokenizer, config }: Pick<TokenizerFiles, "tokenizer" | "config">): AddedToken[] {
  const named = new Set(Object.values(rolesOf(config)));
  const added = (tokenizer["added_tokens"] ?? []) as readonly AddedToken[];
  return added.map((token) => ({ ...token, special: token.special || named.has(token.content) }));
}

/** @throws LaconicError `model_unsupported` if no token ends an utterance */
export function specialTokens(files: TokenizerFiles): SpecialTokens {
  const added = addedTokens(files);
  const idsOf = (tokens: readonly AddedToken[]): Map<string, number> =>
    new Map(tokens.filter(({ content }) => content !== "").map(({ content, id }) => [content, id]));
  const ids = idsOf(added.filter(({ special }) => special));
  const controls = idsOf(added.filter(({ special, content }) => special || delimiter.test(content)));
  const byRole = rolesOf(files.config);
  const stated = files.generation["eos_token_id"];
  const wrong = [stated].flat().find((id) => typeof id === "number" && !(Number.isInteger(id) && id >= 0));
  if (wrong !== undefined) {
    const problem = `expected a token id, got ${JSON.stringify(wrong)}`;
    throw unsupportedKey("eos_token_id", `generation_config.json, eos_token_id: ${problem}`);
  }
  const own = ids.get(byRole["eos_token"] ?? "");
  const ends = [...new Set([own, stated].flat().filter((id): id is number => typeof id === "number"))];
  if (ends.length === 0)
    throw unsupportedKey(
      "eos_token",
      "no end-of-reply token in tokenizer_config.json (eos_token) or generation_config.json (eos_token_id)",
    );
  return { ids, controls, byRole, ends };
}

function rolesOf(config: TokenizerFiles["config"]): Record<string, string> {
  const byRole: Record<string, string> = {};
  for (const [key, value] of Object.entries(config)) {
    const text =
      typeof value === "object" && value !== null ? (value as { readonly content?: unknown }).content : value;
    if (key.endsWith("_token") && typeof text === "string") byRole[key] = text;
  }
  return byRole;
}

export function controlToken(content: string, id: number): object {
  return { id, content, special: true, normalized: false, single_word: false, lstrip: false, rstrip: false };
}

export function unsupportedKey(key: string, message: string): LaconicError {
  return new LaconicError("model_unsupported", message, { key });
}
