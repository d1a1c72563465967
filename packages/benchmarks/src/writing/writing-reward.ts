import wordLists from "../../assets/writing-words.json" with { type: "json" };

/** A short and a long summary, or two abstract paragraphs. */
export type WritingForm = "tldr" | "arxiv";

/** Our lists (laconic-words@1), because OpenMLRL's have no licence; scores depend on them. */
export const transitionPhrases: Readonly<Record<string, readonly string[]>> = wordLists.transitions;
const ourWords = { transitions: transitionPhrases, stopWords: new Set(wordLists.stopWords.split(" ")) };

/** Word lists of the reward. */
export interface WritingWords {
  /** Phrases by category. */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
  readonly stopWords: ReadonlySet<string>;
}

/** Options of MAGRPO's writing reward. */
export interface WritingOptions {
  /** Matches phrases at word boundaries; as released, "so" matches inside "some". */
  readonly strict?: boolean;
  /**
   * Lists of the released files, whose reward it then equals: characters, white space and words are Python's, and two
   * texts of stop words overlap fully. Default: our lists, UTF-16 lengths and ASCII words.
   */
  readonly released?: WritingWords;
}

const ourRules = { characters: (text: string): number => text.length, space: /\s+/u, word: /\b\w+\b/gu, empty: 0 };

/** Python's `len`, `split`, `\w` and the released overlap of empty sets. */
const releasedRules: typeof ourRules = {
  characters: (text) => Array.from(text).length,
  space: /[\t-\r\u{1C}-\u{20}\u{85}\p{Z}]+/u,
  word: /[\p{L}\p{N}_]+/gu,
  empty: 1,
};

/** Reward of two texts. */
export interface WritingReward {
  /** 0 to 3; at most 2.98 with twelve categories of transitions. */
  readonly reward: number;
  readonly terms: { readonly length: number; readonly ratio: number; readonly words: number; readonly style: number };
  /** Shared vocabulary (max 0.6) and kinds of transitions (max 0.4). */
  readonly style: { readonly overlap: number; readonly transitions: number };
  /** First failed level; null if all passed. */
  readonly stoppedAt: "length" | "ratio" | "words" | null;
}

/** Rises from `from` to 1 at `full`, stays 1 to `enough`, falls to 0 at `to`. */
interface Band {
  readonly from: number;
  readonly full: number;
  readonly enough: number;
  readonly to: number;
}

interface Form {
  readonly tokens: readonly [least: number, most: number];
  /** Characters of the second text / the first's. */
  readonly ratio: Band;
  /** Distinct tokens of the second text / the first's. */
  readonly words: Band;
  /** Overlap that gives the full score. */
  readonly overlap: number;
  readonly transitionsOf: (first: string, second: string) => string;
}

const forms: Readonly<Record<WritingForm, Form>> = {
  tldr: {
    tokens: [8, 256],
    ratio: { from: 1.1, full: 1.6, enough: 3.2, to: 5 },
    words: { from: 1.3, full: 2, enough: Infinity, to: Infinity },
    overlap: 0.03,
    transitionsOf: (_, second) => second,
  },
  arxiv: {
    tokens: [128, 256],
    ratio: { from: 0.8, full: 1.3, enough: 1.6, to: 2 },
    words: { from: 0.5, full: 0.7, enough: 1.3, to: 1.7 },
    overlap: 0.23,
    // Joined without a space, as released.
    transitionsOf: (first, second) => first + second,
  },
};

/**
 * MAGRPO's reward of two texts (OpenMLRL/LLM_Collab_Writing@7e59995e). The first failed of four levels ends the count.
 * Lengths count pieces between white space; vocabulary is in lower case.
 */
export function writingReward(
  form: WritingForm,
  first: string,
  second: string,
  options: WritingOptions = {},
): WritingReward {
  const { tokens, ratio, words, overlap, transitionsOf } = forms[form];
  const { stopWords, transitions } = options.released ?? ourWords;
  const rules = options.released ? releasedRules : ourRules;
  const terms = { length: 0, ratio: 0, words: 0, style: 0 };
  const style = { overlap: 0, transitions: 0 };
  const result = (stoppedAt: WritingReward["stoppedAt"]): WritingReward => ({
    reward: terms.length + terms.ratio + terms.words + terms.style,
    terms: { ...terms },
    style: { ...style },
    stoppedAt,
  });
  const [least, most] = tokens;
  const counts = [first, second].map((text) => text.split(rules.space).filter((piece) => piece !== "").length);
  if (counts.some((count) => count < least || count > most)) return result("length");
  terms.length = 0.5;
  const inRatio = within(rules.characters(second) / Math.max(1, rules.characters(first)), ratio);
  if (inRatio === null) return result("ratio");
  terms.ratio = inRatio;
  const [a, b] = [wordsOf(first, rules.word), wordsOf(second, rules.word)];
  const inWords = options.released && a.size === 0 ? null : within(b.size / Math.max(1, a.size), words);
  if (inWords === null) return result("words");
  terms.words = 0.5 * inWords;
  const shared = jaccard(without(a, stopWords), without(b, stopWords)) ?? rules.empty;
  style.transitions = 0.4 * transitionScore(transitionsOf(first, second), transitions, options.strict);
  style.overlap = 0.6 * (Math.min(shared, overlap) / overlap);
  terms.style = style.transitions + style.overlap;
  return result(null);
}

/** Null outside the band. */
function within(value: number, { from, full, enough, to }: Band): number | null {
  if (value < from || value > to) return null;
  if (value < full) return (value - from) / (full - from);
  return value <= enough ? 1 : (to - value) / (to - enough);
}

/** 0.4 for the first kind, 0.05 for each further one, max 1. */
function transitionScore(text: string, transitions: WritingWords["transitions"], strict = false): number {
  const lower = text.toLowerCase();
  const holds = (phrase: string): boolean =>
    strict ? ` ${lower.replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `.includes(` ${phrase} `) : lower.includes(phrase);
  const kinds = Object.values(transitions).filter((phrases) => phrases.some(holds)).length;
  return kinds === 0 ? 0 : Math.min(1, 0.4 + 0.05 * (kinds - 1));
}

function wordsOf(text: string, word: RegExp): Set<string> {
  return new Set(text.toLowerCase().match(word) ?? []);
}

function without(words: ReadonlySet<string>, left: ReadonlySet<string>): Set<string> {
  return new Set([...words].filter((word) => !left.has(word)));
}

/** Null for two empty sets. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number | null {
  const both = [...a].filter((word) => b.has(word)).length;
  const either = a.size + b.size - both;
  return either === 0 ? null : both / either;
}
