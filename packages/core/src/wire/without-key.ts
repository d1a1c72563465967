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
  let kept = 0;
  let at = 0;
  while (at + least <= text.length) {
    if (!parts.has(text.slice(at, at + least))) {
      at += 1;
      continue;
    }
    clean += `${text.slice(kept, at)}[redacted]`;
    do at += 1;
    while (at + least <= text.length && parts.has(text.slice(at, at + least)));
    at += least - 1;
    kept = at;
  }
  return clean + text.slice(kept);
}
