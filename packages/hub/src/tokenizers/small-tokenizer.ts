import { controlToken } from "./special-tokens.ts";
import { byteCharacters } from "./token-bytes.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

const roles = ["system", "user", "assistant", "tool"].map((role) => `<|${role}|>`);
const endText = "<|end|>";
const controls = [...roles, endText];

const chatTemplate = `{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '${endText}' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}`;

/** Matches words, single digits, marks and white space, with the space before. */
const wordPattern = " ?\\p{N}| ?\\p{L}+|\\n| ?[^\\s\\p{L}\\p{N}]+|\\s";

const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false };

const withoutFirstSpace = { type: "Strip", content: " ", start: 1, stop: 0 };

/** Merges of a byte-level BPE, best first. */
export type Merges = readonly (readonly [left: string, right: string])[];

/**
 * Files of a byte-level tokenizer with a chat template: 256 bytes, the merges, four roles and an end token. Digits
 * never merge. With merges, a text begins with a space, so that its first word has the tokens it has elsewhere.
 * @param merges - without merges, every byte is a token
 */
export function smallTokenizer(merges: Merges = []): Omit<TokenizerFiles, "generation"> {
  const tokens = [...byteCharacters, ...merges.map((pair) => pair.join(""))];
  const split = { type: "Split", pattern: { Regex: wordPattern }, behavior: "Isolated", invert: false };
  const isBytes = merges.length === 0;
  return {
    tokenizer: {
      model: { type: "BPE", vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges },
      normalizer: isBytes ? null : { type: "Prepend", prepend: " " },
      pre_tokenizer: isBytes ? byteLevel : { type: "Sequence", pretokenizers: [split, byteLevel] },
      post_processor: null,
      decoder: isBytes ? byteLevel : { type: "Sequence", decoders: [byteLevel, withoutFirstSpace] },
      added_tokens: controls.map((content, i) => controlToken(content, tokens.length + i)),
    },
    config: { eos_token: endText },
    chatTemplate,
  };
}

/** Tokens of {@link smallTokenizer}; the last one ends an utterance. */
export function smallVocabulary(merges: Merges = []): number {
  return byteCharacters.length + merges.length + controls.length;
}

/**
 * Learns byte pair merges. Each joins the most frequent pair of neighbours within words; ties go to the first one seen.
 * Words that occur once are ignored.
 * @param count - number of merges
 */
export function learnMerges(texts: Iterable<string>, count: number): Merges {
  const words = [...wordCounts(texts)].map(([word, times]) => ({
    symbols: Array.from(new TextEncoder().encode(word), (byte) => byteCharacters[byte]!),
    times,
  }));
  const merges: (readonly [string, string])[] = [];
  while (merges.length < count) {
    const pairs = new Map<string, number>();
    for (const { symbols, times } of words)
      for (let i = 1; i < symbols.length; i++) {
        const pair = `${symbols[i - 1]} ${symbols[i]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + times);
      }
    let [best, most] = ["", 0];
    for (const [pair, times] of pairs) if (times > most) [best, most] = [pair, times];
    if (most < 2) break;
    const [left, right] = best.split(" ") as [string, string];
    merges.push([left, right]);
    for (const { symbols } of words)
      for (let i = 1; i < symbols.length; i++)
        if (symbols[i - 1] === left && symbols[i] === right) symbols.splice(i - 1, 2, left + right);
  }
  return merges;
}

function wordCounts(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const [word] of ` ${text}`.matchAll(new RegExp(wordPattern, "gu")))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].filter(([, times]) => times > 1));
}
