import wordLists from "../../assets/writing-words.json" with { type: "json" };

/** A short and a long summary, or two abstract paragraphs. */
export type WritingForm = "tldr" | "arxiv";

/** Our lists (laconic-words@1), because OpenMLRL's have no licence; scores depend on them. */
export const transitionPhrases: Readonly<Record<string, readonly string[]>> = wordLists.transitions;
const stopWords: ReadonlySet<string> = new Set(wordLists.stopWords.split(" "));

/** Options of MAGRPO's writing reward. */
export interface WritingOptions {
  /** Matches phrases at word boundaries; as released, "so" matches inside "some". */
  readonly strict?: boolean;
  readonly transitions?: Readonly<Record<string, readonly string[]>>;
  readonly stopWords?: ReadonlySet<string>;
}

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
 * Lengths count pieces between white space; vocabulary is `\b\w+\b` in lower case.
 */
export function writingReward(
  form: WritingForm,
  first: string,
  second: string,
  options: WritingOptions = {},
): WritingReward {
  const { tokens, ratio, words, overlap, transitionsOf } = forms[form];
  const terms = { length: 0, ratio: 0, words: 0, style: 0 };
  const style = { overlap: 0, transitions: 0 };
  const result = (stoppedAt: WritingReward["stoppedAt"]): WritingReward => ({
    reward: terms.length + terms.ratio + terms.words + terms.style,
    terms: { ...terms },
    style: { ...style },
    stoppedAt,
  });
  const [least, most] = tokens;
  const counts = [first, second].map((text) => text.split(/\s+/u).filter((piece) => piece !== "").length);
  if (counts.some((count) => count < least || count > most)) return result("length");
  terms.length = 0.5;
  const inRatio = within(second.length / Math.max(1, first.length), ratio);
  if (inRatio === null) return result("ratio");
  terms.ratio = inRatio;
  const [a, b] = [wordsOf(first), wordsOf(second)];
  const inWords = within(b.size / Math.max(1, a.size), words);
  if (inWords === null) return result("words");
  terms.words = 0.5 * inWords;
  const stop = options.stopWords ?? stopWords;
  const shared = Math.min(jaccard(without(a, stop), without(b, stop)), overlap) / overlap;
  style.transitions = 0.4 * transitionScore(transitionsOf(first, second), options);
  style.overlap = 0.6 * shared;
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
function transitionScore(text: string, { strict = false, transitions = transitionPhrases }: WritingOptions): number {
  const lower = text.toLowerCase();
  const holds = (phrase: string): boolean =>
    strict ? ` ${lower.replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `.includes(` ${phrase} `) : lower.includes(phrase);
  const kinds = Object.values(transitions).filter((phrases) => phrases.some((phrase) => holds(phrase))).length;
  return kinds === 0 ? 0 : Math.min(1, 0.4 + 0.05 * (kinds - 1));
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\b\w+\b/gu) ?? []);
}

function without(words: ReadonlySet<string>, left: ReadonlySet<string>): Set<string> {
  return new Set([...words].filter((word) => !left.has(word)));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  const either = a.size + b.size - both;
  return either === 0 ? 0 : both / either;
}
