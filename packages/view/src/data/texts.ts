/** Characters that a list shows of a text. */
const maxShown = 200;

/** The beginning of a text, never half a character. A copy, because a slice would keep the whole text in memory. */
export function clipped(text: string, max: number = maxShown): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(max - 1)) ? max - 1 : max;
  return Buffer.from(text.slice(0, end)).toString();
}

/** More words than this are not searched. */
const maxWords = 16;

/** Words of a search in lower case. */
export function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/u);
  return words.filter((word) => word !== "").slice(0, maxWords);
}

/** At most `max` of them, evenly spaced, with the first and the last. @param max - 2 or more */
export function spaced<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, i) => all[Math.round((i * (all.length - 1)) / (max - 1))] as T);
}
