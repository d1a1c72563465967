/** Min characters of a leaked part of a key. */
const least = 4;

/**
 * Removes a key that a server may echo whole, truncated or masked: every run of four or more of its characters becomes
 * `[redacted]`. Shorter keys are not secret.
 */
export function withoutKey(text: string, key: string): string {
  if (key.length < least) return text;
  const parts = new Set(Array.from({ length: key.length - least + 1 }, (_, i) => key.slice(i, i + least)));
  let clean = "";
  let retained = 0;
  let index = 0;
  while (index + least <= text.length) {
    if (!parts.has(text.slice(index, index + least))) {
      index += 1;
      continue;
    }
    clean += `${text.slice(retained, index)}[redacted]`;
    do index += 1;
    while (index + least <= text.length && parts.has(text.slice(index, index + least)));
    index += least - 1;
    retained = index;
  }
  return clean + text.slice(retained);
}
