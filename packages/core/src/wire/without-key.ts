/** As many characters in a row as a text may share with a key by chance. */
const least = 4;

/**
 * Removes a key that a server may echo: whole, truncated, or masked in the middle. Every run of
 * four or more characters that the key has too becomes `[redacted]`.
 * @param key - one of less than four characters is no secret
 */
export function withoutKey(text: string, key: string): string {
  if (key.length < least) return text;
  const parts = new Set(Array.from({ length: key.length - least + 1 }, (_, i) => key.slice(i, i + least)));
  let clean = "";
  let kept = 0;
  let at = 0;
  while (at + least <= text.length) {
    if (!parts.has(text.slice(at, at + least))) {
      at += 1;
      continue;
    }
    clean += `${text.slice(kept, at)}[redacted]`;
    // What overlaps is of the same run.
    do at += 1;
    while (at + least <= text.length && parts.has(text.slice(at, at + least)));
    at += least - 1;
    kept = at;
  }
  return clean + text.slice(kept);
}
