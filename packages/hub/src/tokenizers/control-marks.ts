import { inputError } from "@laconic/core";

/** Hides control tokens in untrusted texts and restores them later. */
export interface ControlMarks {
  /** Replaces the first character of every control token by a mark. */
  hide(text: string): string;
  /** Replaces every character that could start a control token by a mark. */
  hideAll(text: string): string;
  /** Inverse of both. */
  show(text: string): string;
  /** Shows a text, cut so that no part spells a hidden token. */
  cut(text: string): string[];
}

/**
 * Marks are symbols that no text contains, one per first character. Lengths stay the same, and `repr` prints marks
 * unchanged.
 * @param controls - texts of the control tokens
 * @param texts - all other texts that may occur
 */
export function controlMarks(controls: readonly string[], texts: readonly string[]): ControlMarks {
  const firsts = [...new Set(controls.map(firstCharacter))];
  const free = unusedCharacters(texts, firsts.length);
  const markOf = new Map(firsts.map((first, i) => [first, free[i]!]));
  const firstOf = new Map(Array.from(markOf, ([first, mark]) => [mark, first]));
  const byLength = controls.toSorted((a, b) => b.length - a.length);
  const control = anyOf(byLength);
  const first = anyOf(firsts);
  const mark = anyOf([...firstOf.keys()]);
  const show = (text: string): string => text.replaceAll(mark, (match) => firstOf.get(match)!);
  return {
    hide(text) {
      // A token may start within another.
      let before = "";
      let after = text;
      while (before !== after)
        [before, after] = [
          after,
          after.replaceAll(control, (match) => {
            const begin = firstCharacter(match);
            return `${markOf.get(begin)!}${match.slice(begin.length)}`;
          }),
        ];
      return after;
    },
    hideAll: (text) => text.replaceAll(first, (match) => markOf.get(match)!),
    show,
    cut: (text) => {
      const parts = text.split(new RegExp(`(?<=${mark.source})`, "g"));
      return parts.map(show).filter((part) => part !== "");
    },
  };
}

export function anyOf(texts: readonly string[]): RegExp {
  if (texts.length === 0) return /(?!)/gu;
  return new RegExp(texts.map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join("|"), "g");
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0)!);
}

/** Braille patterns, then private use areas. */
const markRanges = [
  [0x2800, 0x28ff],
  [0xe000, 0xf8ff],
  [0xf0000, 0x10fffd],
] as const;

function unusedCharacters(texts: readonly string[], count: number): string[] {
  const unused: string[] = [];
  for (const [begin, end] of markRanges)
    for (let code = begin; code <= end && unused.length < count; code++) {
      const character = String.fromCodePoint(code);
      if (!texts.some((text) => text.includes(character))) unused.push(character);
    }
  if (unused.length < count)
    throw inputError("the messages use every Braille and private-use character of Unicode; leave one out");
  return unused;
}
