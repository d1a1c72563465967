/** A `\boxed{...}` or `\fbox{...}`, with what it holds. */
export interface Box {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether its brace closes. */
  readonly isClosed: boolean;
}

const maxBoxes = 100;
const opening = /\\(?:boxed|fbox)\s*(?:\{|(?=\s?\w)(?<word>\s*[^\s$]+))/gu;

/** The last boxes of a text that do not stand within others. A box whose brace never closes ends with its line. */
export function boxesIn(text: string): readonly Box[] {
  const boxes: Box[] = [];
  for (const match of [...text.matchAll(opening)].slice(-maxBoxes)) {
    const [start, inner, word] = [match.index, match.index + match[0].length, match.groups?.["word"]];
    if (start < (boxes.at(-1)?.end ?? 0)) continue;
    const close = word === undefined ? closingBraceAt(text, inner) : -1;
    const isClosed = close !== -1;
    const held = word ?? (isClosed ? text.slice(inner, close) : (text.slice(inner).split(/[\n$]/u, 1)[0] as string));
    const end = word === undefined ? inner + held.length + (isClosed ? 1 : 0) : inner;
    boxes.push({ start, end, text: held, isClosed });
  }
  return boxes;
}

/**
 * What the last `\boxed{...}` or `\fbox{...}` of a text holds, braces matched.
 * @returns null without one, or when its brace never closes
 */
export function lastBoxed(text: string): string | null {
  const opened = [...text.matchAll(/\\(?:boxed|fbox)\s*\{/g)].at(-1);
  if (!opened) return null;
  const start = opened.index + opened[0].length;
  const close = closingBraceAt(text, start);
  return close === -1 ? null : text.slice(start, close);
}

/** Where the brace closes that opens in front of a place; -1 when it never does. */
function closingBraceAt(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === "{") depth += 1;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return -1;
}
