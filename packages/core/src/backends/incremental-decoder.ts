import type { Tokenizer } from "../tokenizer.ts";

/** Text out of tokens as they come; a character whose bytes are spread over tokens waits for the last of them. */
export interface IncrementalDecoder {
  /** What the token adds to the text; empty while a character is incomplete. */
  push(token: number): string;
  /** What is still held back at the end. */
  flush(): string;
}

const incomplete = "\uFFFD";

/** Keeps only the tokens since the last complete character, so that a long reply costs no more per token. */
export function incrementalDecoder(tokenizer: Pick<Tokenizer, "decode">): IncrementalDecoder {
  // The last token that wrote something: some tokenizers write a space depending on what came before. Until one has, all
  // different ones that wrote nothing, since a beginning may have lost its space.
  let before: number[] = [];
  let waiting: number[] = [];
  const tail = (): string => {
    const known = tokenizer.decode(before);
    return tokenizer.decode([...before, ...waiting]).slice(known.length);
  };
  return {
    push(token) {
      waiting.push(token);
      const text = tail();
      if (text.endsWith(incomplete)) return "";
      if (text !== "") before = waiting.slice(-1);
      else if (tokenizer.decode(before) === "") before = [...new Set([...before, ...waiting])];
      waiting = [];
      return text;
    },
    flush() {
      const text = waiting.length === 0 ? "" : tail();
      before = [];
      waiting = [];
      return text;
    },
  };
}
