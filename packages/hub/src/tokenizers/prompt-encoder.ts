import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { type ChatMessage, configError, inputError, LaconicError, thrownText } from "@laconic/core";
import { chatRenderer, type ChatPiece } from "./chat-template.ts";
import { framingOf } from "./framing.ts";
import { addedTokens, specialTokens, type AddedToken } from "./special-tokens.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

export interface PromptEncoder {
  encode(text: string): number[];
  encodePrompt(text: string): number[];
  encodeChat(messages: readonly ChatMessage[]): number[];
}

const reserved = new Set(["messages", "add_generation_prompt"]);

/**
 * @param now - time for templates that write the date
 * @throws LaconicError `model_unsupported`, `config_invalid` for an argument that every chat already has
 */
export function promptEncoder(
  files: TokenizerFiles,
  templateArguments: Readonly<Record<string, unknown>>,
  now: () => Date,
): PromptEncoder {
  const stray = Object.keys(templateArguments).find((name) => reserved.has(name));
  if (stray !== undefined) throw configError(`template argument ${stray}: set by each chat; remove it`, { key: stray });
  const special = specialTokens(files);
  const added = addedTokens(files);
  const plain = openTokenizer(plainTokenizer(files, added, special.ids), files);
  const inner = (text: string, first = true): number[] => {
    if (first) return plain.encode(text, { add_special_tokens: false }).ids;
    return plain.encode(`${border}${text}`, { add_special_tokens: false }).ids.slice(1);
  };
  const encode = (text: string): number[] => inner(wellFormed(text));
  const render =
    files.chatTemplate === null
      ? null
      : chatRenderer(files.chatTemplate, special.controls.keys(), { ...special.byRole, ...templateArguments }, now);
  const spelled = [...special.controls.keys()].filter((control) => !special.ids.has(control));
  return {
    encode,
    encodePrompt(text) {
      const { before, after } = framingOf(files, special);
      return [...before, ...encode(text), ...after];
    },
    encodeChat(messages) {
      if (!render) throw inputError("this checkpoint has no chat template; send a text or token prompt");
      const formed = messages.map(({ role, content }) => ({ role, content: wellFormed(content) }));
      return stripped(render(formed), added).flatMap((piece, i) => {
        if ("control" in piece) return [special.controls.get(piece.control)!];
        // Only a text that spells a control token must be cut.
        const cut = spelled.some((control) => piece.text.includes(control));
        return (cut ? piece.parts : [piece.text]).flatMap((part, j) => inner(part, i + j === 0));
      });
    },
  };
}

/** @throws LaconicError `model_unsupported` with the library's reason */
export function openTokenizer(
  tokenizer: Readonly<Record<string, unknown>>,
  files: Pick<TokenizerFiles, "config">,
): HuggingFaceTokenizer {
  try {
    return new HuggingFaceTokenizer(tokenizer, files.config);
  } catch (error) {
    const reason = thrownText(error);
    throw new LaconicError("model_unsupported", `tokenizer.json: ${reason}`, {}, error);
  }
}

/**
 * Prefix for a text that follows others, because some tokenizers encode a first text differently. No well-formed text
 * contains it.
 */
const border = "\uDC00\uDC00";

function plainTokenizer(
  { tokenizer }: TokenizerFiles,
  added: readonly AddedToken[],
  hidden: ReadonlyMap<string, number>,
): Readonly<Record<string, unknown>> {
  const model = (tokenizer["model"] ?? {}) as Readonly<Record<string, unknown>>;
  const { vocab, unk_token: unknown, unk_id: unknownAt } = model;
  const hides = (text: string): boolean => hidden.has(text) && text !== unknown;
  const readable = Array.isArray(vocab)
    ? (vocab as readonly (readonly [string, number])[]).map(([text, score], i) => [
        hides(text) && i !== unknownAt ? border : text,
        score,
      ])
    : Object.fromEntries(
        Object.entries((vocab ?? {}) as Readonly<Record<string, number>>).filter(([text]) => !hides(text)),
      );
  return {
    ...tokenizer,
    model: { ...model, ...(vocab !== undefined && { vocab: readable }) },
    post_processor: null,
    added_tokens: [
      ...added.filter(({ special }) => !special),
      { id: Object.keys(readable).length + added.length, content: border, special: true, normalized: false },
    ],
  };
}

function stripped(pieces: readonly ChatPiece[], added: readonly AddedToken[]): ChatPiece[] {
  const greedy = new Map(added.filter(({ lstrip, rstrip }) => lstrip || rstrip).map((token) => [token.content, token]));
  if (greedy.size === 0) return [...pieces];
  const tokenAt = (index: number): AddedToken | undefined => {
    const piece = pieces[index];
    return piece && "control" in piece ? greedy.get(piece.control) : undefined;
  };
  return pieces.flatMap((piece, i): ChatPiece[] => {
    if ("control" in piece) return [piece];
    let parts = piece.parts;
    if (tokenAt(i - 1)?.rstrip) parts = parts.map((part, j) => (j === 0 ? part.trimStart() : part));
    if (tokenAt(i + 1)?.lstrip) parts = parts.map((part, j) => (j === parts.length - 1 ? part.trimEnd() : part));
    const text = parts.join("");
    return text === "" ? [] : [{ text, parts }];
  });
}

/** A lone surrogate becomes the replacement character, as in every encoder. */
function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}
