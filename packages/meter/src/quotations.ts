/** Consecutive words that identify a quotation. */
const runWords = 6;
/** Shorter replies are searched as a whole; below this length they prove nothing. */
const shortest = 12;

interface Written<Author> {
  readonly author: Author;
  readonly words: readonly string[];
}

/** Part of a text that an author wrote. */
export interface Quote<Author> {
  readonly author: Author;
  readonly characters: number;
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
    const matches = [...text.matchAll(/\S+/gu)];
    const words = matches.map(([word]) => word);
    const sums = new Map<Author, number>();
    const count = (author: Author, characters: number): void => {
      sums.set(author, (sums.get(author) ?? 0) + characters);
    };
    const isFree = new Array<boolean>(words.length).fill(true);
    for (let i = 0; i + runWords <= words.length; i++) {
      const run = this.#runs.get(words.slice(i, i + runWords).join(" "));
      if (run === undefined) continue;
      const { author, words: source } = run.text;
      let length = runWords;
      while (i + length < words.length && words[i + length] === source[run.start + length]) length++;
      const [first, last] = [matches[i], matches[i + length - 1]];
      if (first && last) count(author, last.index + last[0].length - first.index);
      isFree.fill(false, i, i + length);
      i += length - 1;
    }
    const rest = matches
      .filter((_, i) => isFree[i])
      .map(([word]) => word)
      .join(" ");
    for (const [short, author] of this.#short) if (` ${rest} `.includes(short)) count(author, short.length);
    return Array.from(sums, ([author, characters]) => ({ author, characters }));
  }
}
