/** First `max` UTF-16 units, never half a character. Copied, so that the whole text can be freed. */
export function clipped(text: string, max = 200): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(max - 1)) ? max - 1 : max;
  return Buffer.from(text.slice(0, end)).toString();
}

/** Samples evenly, including both ends. @param max - 2 or more */
export function spaced<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, i) => all[Math.round((i * (all.length - 1)) / (max - 1))] as T);
}
