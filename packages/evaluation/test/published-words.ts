import type { ChatMessage } from "@laconic/core";

export interface AskedChat {
  readonly messages: readonly ChatMessage[];
  readonly reply: string;
}

/**
 * Pieces of requests that occur neither in known texts, nor in a reply, nor in the published files: wording of unknown
 * origin. Adjacent Python strings in files are joined. Numbers, option letters and drawn names are ignored.
 * @param known - questions, options, examples
 */
export function strangeWords(
  asked: readonly AskedChat[],
  known: readonly string[],
  files: readonly string[],
): string[] {
  return strangeIn(piecesOf(asked, known), files);
}

function strangeIn(pieces: readonly string[], files: readonly string[]): string[] {
  const published = files.map((file) => spoken(file)).join("\n");
  return [...new Set(pieces.flatMap((piece) => uncovered(piece, published)))];
}

/** Pieces of requests between known texts and replies, without duplicates. */
export function piecesOf(asked: readonly AskedChat[], known: readonly string[]): string[] {
  const replies = asked.map(({ reply }) => reply);
  // DyLAN quotes replies without surrounding white space.
  const quotable = new Set(replies.flatMap((reply) => [reply, reply.trim()].flatMap((text) => text.split(lineEnd))));
  // Short replies may be parts of words, except between triple quotes.
  const quoted = replies.map((reply) => (reply.length > 7 ? reply : `\`\`\`${reply.trim()}\`\`\``));
  const texts = [...known.filter((text) => text.length > 2), ...quoted];
  const longFirst = [...new Set(texts.flatMap((text) => [text, text.trim()]))].toSorted((a, b) => b.length - a.length);
  const unquoted = (content: string): string =>
    content
      .split("\n")
      .filter((line) => !line.startsWith("> ") || !quotable.has(line.slice(2)))
      .join("\n");
  const contents = new Set(asked.flatMap(({ messages }) => messages.map(({ content }) => content)));
  return [...new Set([...contents].flatMap((content) => without(unquoted(content), longFirst)))];
}

const lineEnd = /\r\n|[\n\r\u0085\u2028\u2029]/u;

/** Strings of a source file: escapes resolved, adjacent strings joined. */
function spoken(file: string): string {
  const joined = file.replaceAll(/"[^\S\n]*\n\s*f?"/gu, "");
  const unescaped = (text: string): string =>
    text.replaceAll(/\\([n"'\\])/gu, (_, letter: string) => (letter === "n" ? "\n" : letter));
  const once = unescaped(joined).replaceAll(/\{\{|\}\}/gu, (two) => two.charAt(0));
  return [file, unescaped(file), unescaped(joined), once].join("\n");
}

function without(content: string, known: readonly string[]): string[] {
  return known.reduce<string[]>(
    (pieces, text) => (content.includes(text) ? pieces.flatMap((piece) => piece.split(text)) : pieces),
    [content],
  );
}

/** Parts of a piece that the files lack, split at word starts. Ignores numbers, marks and single letters. */
function uncovered(piece: string, published: string): string[] {
  const strange: string[] = [];
  let index = 0;
  while (index < piece.length) {
    if (!/[a-z]/iu.test(piece.charAt(index))) {
      index++;
      continue;
    }
    const length = Math.max(1, longestAt(piece, index, published));
    const part = piece.slice(index, index + length);
    if (/[a-z]{2}/iu.test(part) && part.trim().length < shortest && !isLiteral(part, published)) strange.push(part);
    index += length;
  }
  return strange;
}

/** Min characters: shorter pieces occur in any long file. */
const shortest = 7;

/** Whether it is the whole text between two values, or the ends, of a format string. */
function isLiteral(part: string, published: string): boolean {
  const escaped = part.trim().replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(String.raw`["'}]\s*${escaped}\s*["'{]`, "u").test(published);
}

function longestAt(piece: string, index: number, published: string): number {
  let [low, high] = [0, piece.length - index];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (published.includes(piece.slice(index, index + middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}
