/** Never splits a character. `rest`: remaining UTF-16 units. */
export function cutText(text: string, max: number): { readonly shown: string; readonly rest: number } {
  if (text.length <= max) return { shown: text, rest: 0 };
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(max - 1)) ? max - 1 : max;
  return { shown: text.slice(0, end), rest: text.length - end };
}

/** First `max` UTF-16 units, copied so that the whole text can be freed. */
export function clipped(text: string, max = 200): string {
  return text.length <= max ? text : Buffer.from(cutText(text, max).shown).toString();
}

/** Samples evenly, including both ends. @param max - 2 or more */
export function spaced<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, i) => all[Math.round((i * (all.length - 1)) / (max - 1))] as T);
}
