import { describe, expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

/** Words of our own that a reader would have to learn first, each with the field's. */
const banned: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bunless told\b/iu, "by default"],
  [/\b(?:is|are|was|were|being) told\b/iu, "given, shown, reported, distinguished"],
  [/\bslopes?\b/iu, "gradient, derivative"],
  [/\bseats?\b/iu, "role"],
  [/\blessons?\b/iu, "supervised warm start, examples"],
  [/\bdoors?\b/iu, "resolver"],
  [/\bstands? beside\b/iu, "is compared with, is shown next to"],
  [/\b(?:goes|go|went) on\b/iu, "continues"],
  [/\bin small letters\b/iu, "in lower case"],
  [/\bdeclines? of\b/iu, "regression"],
];

/** Where such a word is right: a rule that names it, or text that a program writes. */
const exempt: ReadonlySet<string> = new Set(["CONTRIBUTING.md", "docs/protocol-list.md"]);

/** Means of words per sentence that a page may have, and the longest sentence. */
const [meanWords, longestSentence] = [20, 50];

interface Sentence {
  readonly text: string;
  readonly words: number;
}

/** Sentences of a page, without code, tables, headings and addresses. */
function sentencesOf(page: string): Sentence[] {
  const prose = page
    .replaceAll(/^(?:```|~~~).*?^(?:```|~~~)/gmsu, "")
    .replaceAll(/^\s*(?:\||#|<).*$/gmu, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/`[^`]*`/gu, "x")
    .replaceAll(/\n(?=\s*(?:[-*]|\d+\.)\s)/gu, "\n\n");
  return prose
    .split(/\n\s*\n/u)
    .flatMap((paragraph) => paragraph.replaceAll("\n", " ").split(/(?<=[.!?:;])\s+/u))
    .map((text) => ({ text: text.trim(), words: text.trim().split(/\s+/u).length }))
    .filter(({ words }) => words > 2);
}

/** Banned words of a page, each with its line and the field's word. */
function bannedIn(page: string): string[] {
  // Names of files and settings stay what they are.
  const plain = page.replaceAll(/`[^`\n]*`|\]\([^)]*\)/gu, (code) => code.replaceAll(/\S/gu, "x"));
  return plain.split("\n").flatMap((line, i) =>
    banned.flatMap(([word, instead]) => {
      const found = word.exec(line)?.[0];
      return found === undefined ? [] : [`line ${i + 1}: "${found}" is ${instead}`];
    }),
  );
}

const pages = repositoryFiles().filter(
  (path) =>
    path.endsWith(".md") &&
    !/^(?:docs\/(?:api-reports|results)|bench\/archive|\.changeset)\//u.test(path) &&
    !path.endsWith("CHANGELOG.md"),
);

describe("pages speak the field's words", () => {
  test("a page of our own words and long sentences is found", () => {
    expect(bannedIn("The run goes on.\nIts `lessons` are told.")).toEqual([
      'line 1: "goes on" is continues',
      'line 2: "are told" is given, shown, reported, distinguished',
    ]);
    expect(sentencesOf("# A heading\n\nOne two three. Four five six seven.").map(({ words }) => words)).toEqual([3, 4]);
  });

  test.each(pages.filter((path) => !exempt.has(path)))("%s", (path) => {
    expect(bannedIn(readText(path))).toEqual([]);
  });

  test.each(pages)("%s has short sentences", (path) => {
    const sentences = sentencesOf(readText(path));
    const mean = sentences.reduce((sum, { words }) => sum + words, 0) / Math.max(1, sentences.length);
    expect(mean).toBeLessThanOrEqual(meanWords);
    expect(sentences.filter(({ words }) => words > longestSentence)).toEqual([]);
  });
});
