import { grouped } from "@laconic/core/numeric";

/** Consecutive words that identify a quotation. */
const runWords = 6;
/** Shorter replies are searched as a whole; below this length they prove nothing. */
const shortest = 12;

interface Written<Author> {
  readonly author: Author;
  readonly words: readonly string[];
}

/** Characters of a text from one author. */
export interface Quote<Author> {
  readonly author: Author;
  readonly characters: number;
}

/** Part of a text that an author wrote. */
interface Span<Author> {
  readonly author: Author;
  readonly start: number;
  readonly end: number;
}

/** Texts whose words are looked for in later texts. The latest author of a run of words counts. */
export class WrittenTexts<Author> {
  readonly #runs = new Map<string, { readonly text: Written<Author>; readonly start: number }>();
  readonly #short = new Map<string, Author>();

  add(author: Author, text: string): void {
    const words = text.match(/\S+/gu) ?? [];
    if (words.length < runWords) {
      if (text.trim().length >= shortest) this.#short.set(text.trim(), author);
      return;
    }
    const written = { author, words };
    for (let start = 0; start + runWords <= words.length; start++)
      this.#runs.set(words.slice(start, start + runWords).join(" "), { text: written, start });
  }

  /** Characters per author, with white space inside a quotation; a character counts once. */
  quotesIn(text: string): readonly Quote<Author>[] {
    return grouped(this.spansIn(text), ({ author }) => author).map((spans) => ({
      author: spans[0].author,
      characters: spans.reduce((sum, { start, end }) => sum + end - start, 0),
    }));
  }

  /** Quotations that do not overlap, in order. */
  spansIn(text: string): readonly Span<Author>[] {
    const matches = [...text.matchAll(/\S+/gu)];
    const words = matches.map(([word]) => word);
    const spans: Span<Author>[] = [];
    for (let i = 0; i + runWords <= words.length; i++) {
      const run = this.#runs.get(words.slice(i, i + runWords).join(" "));
      if (run === undefined) continue;
      const { author, words: source } = run.text;
      let length = runWords;
      while (i + length < words.length && words[i + length] === source[run.start + length]) length++;
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
