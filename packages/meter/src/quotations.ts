import { grouped } from "@laconic/core/numeric";

/** Consecutive words that identify a quotation. */
const runWords = 6;
/** Shorter replies are searched as a whole; below this length they prove nothing. */
export const shortest = 12;

interface Written<Author> {
  readonly author: Author;
  readonly words: readonly string[];
}

/** Part of a text that an author wrote. */
interface Span<Author> {
  readonly author: Author;
  readonly start: number;
  readonly end: number;
}

/** Texts whose words are looked for in later texts. The latest author of a run of words counts. */
export class WrittenTexts<Author> {
  /** Runs of words and their hashes. */
  readonly runs: Map<number, { readonly text: Written<Author>; readonly start: number }> = new Map();
  readonly #short = new Map<string, Author>();

  /** Returns the hashes of the text's runs; none below six words. */
  add(author: Author, text: string): readonly number[] {
    const words = text.match(/\S+/gu) ?? [];
    const hashes = runHashes(words);
    if (hashes.length === 0 && text.trim().length >= shortest) this.#short.set(text.trim(), author);
    const written = { author, words };
    for (const [start, hash] of hashes.entries()) this.runs.set(hash, { text: written, start });
    return hashes;
  }

  /** Characters per author, with white space inside a quotation; a character counts once. */
  quotesIn(texts: readonly string[]): { readonly author: Author; readonly characters: number }[] {
    const all = texts.flatMap((text) => this.spansIn(text));
    return grouped(all, ({ author }) => author).map((spans) => ({
      author: spans[0].author,
      characters: spans.reduce((sum, { start, end }) => sum + end - start, 0),
    }));
  }

  /** Quotations that do not overlap, in order. */
  spansIn(text: string): readonly Span<Author>[] {
    const matches = [...text.matchAll(/\S+/gu)];
    const words = matches.map(([word]) => word);
    const spans: Span<Author>[] = [];
    const hashes = runHashes(words);
    for (let i = 0; i < hashes.length; i++) {
      const run = this.runs.get(hashes[i] ?? 0);
      if (run === undefined) continue;
      const { author, words: source } = run.text;
      let length = 0;
      while (i + length < words.length && words[i + length] === source[run.start + length]) length++;
      if (length < runWords) continue;
      const [first, last] = [matches[i], matches[i + length - 1]];
      if (first && last) spans.push({ author, start: first.index, end: last.index + last[0].length });
      i += length - 1;
    }
    for (const [short, author] of this.#short) {
      const start = text.indexOf(short);
      const end = start + short.length;
      if (start >= 0 && spans.every((span) => end <= span.start || span.end <= start))
        spans.push({ author, start, end });
    }
    return spans.toSorted((a, b) => a.start - b.start);
  }
}

/** Hashes of the runs of words of a text; none below six words. */
export function runsOf(text: string): readonly number[] {
  return runHashes(text.match(/\S+/gu) ?? []);
}

/** A 32-bit hash of each run of words. */
function runHashes(words: readonly string[]): readonly number[] {
  const hashes = words.map((word) => {
    let hash = 0;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash, 31) + word.charCodeAt(i);
    return hash;
  });
  return hashes
    .slice(runWords - 1)
    .map((_, start) =>
      hashes.slice(start, start + runWords).reduce((hash, word) => (Math.imul(hash, 1_000_003) + word) | 0, 0),
    );
}
