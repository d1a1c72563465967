/** Box with its content. */
export interface Box {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const maxBoxes = 100;
const opening = /\\(?:boxed|fbox)\s*(?:\{|(?=\s?\w)(?<word>\s*[^\s$]+))/gu;

/** Outermost boxes at the end; an unclosed box ends with its line. */
export function boxesIn(text: string): readonly Box[] {
  const boxes: Box[] = [];
  for (const match of [...text.matchAll(opening)].slice(-maxBoxes)) {
    const [start, inner, word] = [match.index, match.index + match[0].length, match.groups?.["word"]];
    if (start < (boxes.at(-1)?.end ?? 0)) continue;
    if (word !== undefined) boxes.push({ start, end: inner, text: word });
    else {
      const close = closingBraceAt(text, inner);
      const lineEnd = inner + text.slice(inner).search(/[\n$]|$/u);
      const end = close === -1 ? lineEnd : close;
      boxes.push({ start, end: close === -1 ? end : end + 1, text: text.slice(inner, end) });
    }
  }
  return boxes;
}

/** Content of the last box; null without one, or if it never closes. */
export function lastBoxed(text: string): string | null {
  const opened = [...text.matchAll(/\\(?:boxed|fbox)\s*\{/g)].at(-1);
  if (!opened) return null;
  const start = opened.index + opened[0].length;
  const close = closingBraceAt(text, start);
  return close === -1 ? null : text.slice(start, close);
}

/** Position of the closing brace; -1 if missing. */
export function closingBraceAt(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === "{") depth += 1;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return -1;
}
