import { LaconicError, type AgentId, type Tokenizer } from "@laconic/core";

/**
 * The control marks of a prompt. They are tokens that no text can spell: a message holding `|` is refused, not
 * mistaken for a mark, and a mark that a policy samples disappears from its text.
 */
export const relayMarks: {
  readonly end: number;
  /** Opens a prompt and says whose it is. */
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

/** How transcripts show the marks, by token; the alphabet spells none of these characters. */
const markSpellings = [".", "A:", "B:", "C:", "D:", "S:", "?", "|", ">"];
const alphabet = " +0123456789abcdefghijklmnopqrstuvwxyz".split("");
const spellings = [...markSpellings, ...alphabet];
const idOf: ReadonlyMap<string, number> = new Map(
  alphabet.map((character, index) => [character, markSpellings.length + index]),
);

/** One token per character: space, plus, digits, lower-case letters; 9 control marks apart. 47 tokens in all. */
export const relayTokenizer: Tokenizer = {
  vocabularySize: spellings.length,
  endToken: relayMarks.end,
  encode: (text) =>
    Array.from(text, (character, position) => {
      const id = idOf.get(character);
      if (id !== undefined) return id;
      throw new LaconicError(
        "input_invalid",
        `the relay vocabulary cannot spell ${JSON.stringify(character)} at position ${position}; ` +
          "it has space, plus, digits and lower-case letters",
        { character, position },
      );
    }),
  decode: (tokens) => spellRelayTokens(tokens.filter((token) => !isMark(token))),
};

/** Tokens as a transcript shows them, marks included: `A:k6?k+e>`. Reads back in one way only. */
export function spellRelayTokens(tokens: readonly number[]): string {
  return tokens.map(spellingOf).join("");
}

function isMark(token: number): boolean {
  return markSpellings[token] !== undefined;
}

function spellingOf(token: number): string {
  const spelling = spellings[token];
  if (spelling !== undefined) return spelling;
  throw new LaconicError("input_invalid", `${token} is no token of the relay vocabulary of ${spellings.length}`, {
    token,
  });
}
