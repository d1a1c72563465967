import { type AgentId, inputError, type Tokenizer } from "@laconic/core";

/**
 * Control marks of prompts. Messages with `|` are rejected, and sampled marks are dropped, so no text can produce them.
 */
export const relayMarks: {
  readonly end: number;
  /** First prompt token. */
  readonly role: Readonly<Record<AgentId, number>>;
  readonly question: number;
  readonly next: number;
  readonly reply: number;
} = {
  end: 0,
  role: { "holder-a": 1, "holder-b": 2, "holder-c": 3, "holder-d": 4, solver: 5 },
  question: 6,
  next: 7,
  reply: 8,
};

/** Spelling in transcripts, outside the alphabet. */
const markSpellings = [".", "A:", "B:", "C:", "D:", "S:", "?", "|", ">"];
const alphabet = " +0123456789abcdefghijklmnopqrstuvwxyz".split("");
const spellings = [...markSpellings, ...alphabet];
const idOf = new Map(alphabet.map((character, index) => [character, markSpellings.length + index]));

/** Character tokenizer (space, plus, digits, lower-case letters) with 9 control marks: 47 tokens. */
export const relayTokenizer: Tokenizer = {
  vocabularySize: spellings.length,
  endToken: relayMarks.end,
  encode: (text) =>
    Array.from(text, (character, position) => {
      const id = idOf.get(character);
      if (id !== undefined) return id;
      throw inputError(
        `the relay vocabulary has no ${JSON.stringify(character)}, only space, plus, digits and lower-case letters`,
        { character, position },
      );
    }),
  decode: (tokens) => spellRelayTokens(tokens.filter((token) => markSpellings[token] === undefined)),
};

export function spellRelayTokens(tokens: readonly number[]): string {
  return tokens
    .map((token) => {
      const spelling = spellings[token];
      if (spelling !== undefined) return spelling;
      throw inputError(`the relay vocabulary of ${spellings.length} tokens has no ${token}`, { token });
    })
    .join("");
}
