import MarkdownIt from "markdown-it";
import { parseSync } from "vite";

export type Kind = "comment" | "message" | "title" | "page";

export interface Text {
  readonly kind: Kind;
  readonly line: number;
  readonly text: string;
  /** Max words without a verb. */
  readonly labelWords: number;
}

const lineOf = (source: string, offset: number): number => source.slice(0, offset).split("\n").length;

/** Paragraphs, tags and list items of a comment, without code. `@throws` is a label behind its error's name. */
function commentTexts(comment: string, line: number, labelWords: number): Text[] {
  const texts: { kind: "comment"; line: number; text: string; labelWords: number }[] = [];
  let isCode = false;
  let isOpen = false;
  comment.split("\n").forEach((row, i) => {
    const content = row.replace(/^\s*(?:\*|\/\/)? ?/u, "");
    if (content.startsWith("```")) isCode = !isCode;
    if (isCode || /^(?:```|\s*$| {4}|@(?:module|example|throws|type|import))/u.test(content)) {
      isOpen = false;
      return;
    }
    const begin = /^(?:@(?:param|typeParam) (?:\{.*?\} )?\S+(?: -)?|@\w+(?: \{.*?\})?|\s*[-*] |\s*\d+\. )/u.exec(
      content,
    );
    const text = content.slice(begin?.[0].length ?? 0).trim();
    const last = texts.at(-1);
    if (begin === null && isOpen && last !== undefined) last.text += ` ${text}`;
    else texts.push({ kind: "comment", line: line + i, text, labelWords: begin === null ? labelWords : Infinity });
    isOpen = true;
  });
  return texts;
}

const directive = /^\s*(?:@ts-|oxlint|v8 |!|\/ <|@__)/u;
const field = /^\s*(?:(?:readonly|static|get|declare) )*["#]?[\w$.-]+"?[?!]?(?::|;| =|\(\))/u;

/** Comments of a source file; successive lines of `//` are one. */
export function commentsOf(path: string, source: string): readonly Text[] {
  const merged: { type: string; start: number; end: number; value: string }[] = [];
  for (const comment of parseSync(path, source).comments.filter(({ value }) => !directive.test(value))) {
    const last = merged.at(-1);
    const isNext = last?.type === "Line" && /^\n[ \t]*$/u.test(source.slice(last.end, comment.start));
    if (!isNext || comment.type !== "Line") merged.push({ ...comment });
    else Object.assign(last, { end: comment.end, value: `${last.value}\n${comment.value}` });
  }
  return merged.flatMap(({ value, start, end }) =>
    commentTexts(value.replace(/^\*/u, ""), lineOf(source, start), field.test(source.slice(end, end + 200)) ? 8 : 6),
  );
}

const literal = /("(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\})*`)/u.source;
const messageCalls = "\\w*(?:Error|Fault)|warn|describe|refuse|toggle|text|count|\\w*[pP]ositional|note";
const message = new RegExp(
  `(?:\\b(?:${messageCalls})\\(\\s*(?:"\\w+",\\s*)?|\\b(?:description|summary|help):\\s*)${literal}`,
  "gu",
);
const title = new RegExp(
  `(?:\\b(?:test|it|describe)(?:\\.\\w+)*|[\`)\\]])\\(\\s*${literal},\\s*(?:async\\b|\\(|\\{|\\w+ =>|\\w+\\))`,
  "gu",
);

const isGroup = (before: string): boolean => /^.*\b(describe|test|it)\b[.(]/su.exec(before)?.[1] === "describe";

const stringTexts = (kind: Kind, source: string, pattern: RegExp): readonly Text[] =>
  [...source.matchAll(pattern)]
    .map((match) => ({ match, quoted: match.at(-1) ?? "" }))
    .filter(({ quoted }) => /\w \w/u.test(quoted))
    .map(({ match, quoted }) => ({
      kind,
      line: lineOf(source, match.index + match[0].lastIndexOf(quoted)),
      text: quoted.slice(1, -1).replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}|[%$]\w+(?:\.\w+)*/gu, "Name"),
      labelWords: kind === "title" && !isGroup(source.slice(0, match.index + "describe(".length)) ? 0 : Infinity,
    }));

/** Messages and help texts of a source file, each from its beginning. */
export const messagesOf = (source: string): readonly Text[] => stringTexts("message", source, message);

/** Titles of a test file; `describe` may have a label. */
export const titlesOf = (source: string): readonly Text[] => stringTexts("title", source, title);

const markdown = new MarkdownIt({ html: true });

/** Paragraphs, list items, headings and table cells of a page. */
export function pageTexts(source: string): readonly Text[] {
  const body = source.replace(/^---\n[^]*?\n---\n/u, (matter) => matter.replaceAll(/[^\n]/gu, ""));
  let line = 0;
  let tag = "";
  return markdown.parse(body, {}).flatMap((token) => {
    if (token.map !== null) line = token.map[0] + 1;
    if (token.type.endsWith("_open")) tag = token.tag;
    if (token.type !== "inline") return [];
    return { kind: "page" as const, line, text: token.content, labelWords: tag === "p" ? 6 : Infinity };
  });
}
