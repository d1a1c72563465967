import { readReply } from "../../reply/read-reply.ts";
import { boxesIn } from "../../reply/boxes.ts";
import { conjunction, cuesIn, isDenied, isUnsaid, withoutDenied, readCurrent } from "../../reply/answer-cues.ts";
import { wordNumbersIn } from "../../reply/number-words.ts";
import { baseBehind } from "./number-base.ts";
import { proseExpressions, withPoint, type Span } from "./prose-expressions.ts";

/** Formats of answers. */
export interface AnswerForms {
  /** Between dollars, `\(`, `\[`, and in boxes. */
  readonly latex: boolean;
  /** Numbers in prose, and texts that are only an expression. */
  readonly plain: boolean;
}

export interface Candidate {
  readonly text: string;
  readonly rule: string;
}

/** Characters at the end of a reply. */
const searched = 40_000;
const longest = 3000;

/**
 * Answers, best first: after "the final answer is ... I hope", last boxes, after "answer:" or "answer is", last
 * formulas and numbers.
 */
export function findAnswers(reply: string, forms: AnswerForms): Candidate[] {
  const text = withoutDenied(readReply(reply.slice(-searched)));
  return candidatesIn(text, (current) => placesIn(current, forms));
}

/** Retracted answers prevent reading the whole text. */
function candidatesIn(text: string, read: (text: string) => Candidate[]): Candidate[] {
  const match = readCurrent(text, (current) => {
    const candidates = read(current);
    return candidates.length === 0 ? null : candidates;
  });
  return match ?? (/\\(?:boxed|fbox)|####/u.test(text) ? [{ text: denied, rule: "taken back" }] : []);
}

function placesIn(text: string, forms: AnswerForms): Candidate[] {
  const boxes = forms.latex ? boxSpans(text) : [];
  const formulas = forms.latex ? formulasIn(text) : [];
  const expressions = forms.plain ? proseExpressions(text, [...boxes, ...formulas]) : [];
  const numbers = expressions.filter(({ symbolic }) => symbolic !== true);
  const announced = [...formulas, ...expressions].toSorted((a, b) => a.start - b.start);
  const places = [...formulas, ...numbers].toSorted((a, b) => a.start - b.start);
  return [
    hoped(text, [...boxes, ...announced]),
    lastCluster(text, boxes, "boxed"),
    forms.plain ? marked(text, announced) : null,
    announcedAnswer(text, announced, forms.plain),
    forms.plain && boxes.length === 0 && formulas.length === 0 ? wholeExpression(text) : null,
    lastCluster(text, formulas, "last formula", numbers.at(-1)),
    ...lastPlaces(text, places),
  ].filter((candidate) => candidate !== null);
}

const remark = /\(\s*(?:about|approximately|approx\.|roughly|around|or|i\.e\.,?|that is,?|[≈~])\s*[$€£¥]?$/iu;

/** Last candidates: "18, not 20" and "5 of the 12" give the first. */
function lastPlaces(text: string, places: readonly Span[]): Candidate[] {
  let end = places.length;
  for (; end > 1; end--) {
    const [before, last] = places.slice(end - 2, end) as [Span, Span];
    const between = text.slice(before.end, last.start);
    const isSecond = isDenied(text, last.start, last.end) && !/[.\n]/u.test(between);
    if (
      !isSecond &&
      !remark.test(between) &&
      !/^\s*(?:\p{L}+\s+)?of\s+(?:(?:the|all|every|those)\s+)?$/iu.test(between)
    )
      break;
  }
  return places
    .slice(Math.max(0, end - 3), end)
    .toReversed()
    .map((span) => ({
      text: isUnsaid(text, span.start, span.end) ? denied : listAround(text, span, places),
      rule: span.kind === "plain" ? "last number" : "last formula",
    }));
}

/** Last box, after the last cue, whole short text. */
export function findWords(reply: string): Candidate[] {
  const text = readReply(reply.slice(-searched));
  return candidatesIn(text, wordsIn);
}

function wordsIn(text: string): Candidate[] {
  const box = boxSpans(text).at(-1);
  if (box) return [{ text: box.text, rule: "boxed" }];
  const cue = cuesIn(text).at(-1);
  const sentence =
    cue &&
    text
      .slice(cue.end, cue.end + 200)
      .split(/[.!?](?:\s|$)|\n/u)[0]
      ?.replaceAll("$", "");
  if (sentence) return [{ text: sentence.trim(), rule: "after the answer trigger" }];
  const [, reply] = text.length > 200 ? [] : (/^\s*(yes|no|true|false)\b\s*[,.;:!—–]/iu.exec(text) ?? []);
  if (reply !== undefined) return [{ text: reply, rule: "the first word" }];
  const predicate = predicateIn(text);
  if (predicate !== null) return [{ text: predicate, rule: "the last sentence" }];
  return text.trim().length <= 200 ? [{ text: text.trim(), rule: "the whole text" }] : [];
}

/** `odd` in "The function is odd." */
export function predicateIn(text: string): string | null {
  const sentence = /(?:^|[.!?\n]\s*)([^.!?\n]{1,200})\.?\s*$/u.exec(text)?.[1] ?? "";
  const message =
    /^(?:(?:so|hence|thus|therefore|then|and)\b,?\s+)?(?:the|this|it|its|\$)[^,;]{0,80}?\s(?:is|are)\s+([\p{L} -]{2,40})$/iu.exec(
      sentence,
    );
  return message === null || /\b(?:if|whether|when|maybe|perhaps|possibly)\b/iu.test(sentence) ? null : message[1]!;
}

/** Answer after `####`, as in GSM8K; other marks are headings. */
function marked(text: string, places: readonly Span[]): Candidate | null {
  for (const match of [...text.matchAll(/####(?![ \t]*\d+[.)][ \t]+\S)([^\n]{1,200})/gu)].toReversed()) {
    const [start, end] = [match.index + 4, match.index + match[0].length];
    const held = wholeExpression(match[1]!.replaceAll(/(?<!\\)\$/gu, " "));
    if (held && /\d|\\/u.test(held.text)) return { text: held.text, rule: "after ####" };
    const location = places.find((span) => span.start >= start && span.end <= end);
    if (!location || /\p{L}/u.test(text.slice(start, location.start))) continue;
    const isSaid = !isUnsaid(text, location.start, location.end);
    return { text: isSaid ? listAround(text, location, places, start) : denied, rule: "after ####" };
  }
  return null;
}

/** Requested by Minerva's prompts. */
function hoped(text: string, places: readonly Span[]): Candidate | null {
  for (const match of [...text.matchAll(/final answer is\s*:?\s*/giu)].toReversed()) {
    const start = match.index + match[0].length;
    const location = places.find((span) => span.start >= start && span.start - start <= 2);
    if (location && /^[^\n]{0,20}?\bI hope/u.test(text.slice(location.end, location.end + 40)))
      return { text: withPercent(text, location), rule: "final answer sentence" };
  }
  return null;
}

export const denied = "\\text{not the answer}";
/** Max characters between a cue and its answer. */
const longestLead = 50;

/**
 * Answer after the last cue with one.
 * @param places - in text order
 */
function announcedAnswer(text: string, places: readonly Span[], plain: boolean): Candidate | null {
  for (const { end: start } of cuesIn(text).toReversed()) {
    const bare = plain ? (bareExpression(text, start) ?? spokenNumber(text, start)) : null;
    if (bare !== null) return { text: bare, rule: "after the answer trigger" };
    const near = places.filter((span) => span.start >= start - 1 && span.start - start <= longestLead);
    const first = near.find(({ kind }) => kind === "formula") ?? near[0];
    const subject = first && (saidOf(first, text, start, places) ?? first);
    if (subject && isUnsaid(text, subject.start, subject.end))
      return { text: denied, rule: "denied after the answer trigger" };
    if (subject)
      return {
        text: letterBefore(text.slice(start, subject.start)) + listAround(text, subject, places, subject.start),
        rule: "after the answer trigger",
      };
  }
  return null;
}

/** `twelve` after a cue. */
function spokenNumber(text: string, start: number): string | null {
  const clause = text.slice(start, start + 100);
  const [first] = wordNumbersIn(clause);
  return first && /^[\s$]*$/u.test(clause.slice(0, first.start)) ? first.value : null;
}

const joining = new RegExp(
  String.raw`^\s*(?:,\s*|[,;]?\s*\(?(?:${conjunction}|to)(?:\s+(?:maybe|perhaps|possibly))?\s*[$*]*)$`,
  "iu",
);

function withNeighbours(places: readonly Span[], index: number, joins: (a: Span, b: Span) => boolean): Span[] {
  const isJoined = (position: number): boolean => {
    const [a, b] = [places[position - 1], places[position]];
    return a !== undefined && b !== undefined && a.kind === b.kind && joins(a, b);
  };
  let [first, last] = [index, index];
  while (isJoined(first)) first--;
  while (isJoined(last + 1)) last++;
  return places.slice(first, last + 1);
}

function listText(text: string, list: readonly Span[]): string {
  return list.map((span) => withPercent(text, span)).join(" \\text{ and } ");
}

/**
 * Joins candidates with a comma, "or", "and" or "to".
 * @param from - earlier candidates are ignored
 */
function listAround(text: string, location: Span, places: readonly Span[], from = 0): string {
  const between = (a: Span, b: Span): string => text.slice(a.end, b.start).replaceAll(/\\[()]/gu, "");
  const joins = (a: Span, b: Span): boolean => a.start >= from && joining.test(between(a, b));
  const list = withNeighbours(places, places.indexOf(location), joins);
  const behind = text.slice(list.at(-1)!.end);
  const isJoined = list.some((span, i) => i > 0 && !/^[\s,]*$/u.test(between(list[i - 1]!, span)));
  const isList = isJoined ? !/^[\s$*]*(?:is|was)\b/u.test(behind) : /^[\s$*)]*(?:[.;!?\n]|$)/u.test(behind);
  return listText(text, isList ? list : [location]);
}

function bareExpression(text: string, start: number): string | null {
  const clause = (/^[^\n$]{1,200}/u.exec(text.slice(start).replaceAll("\\$", "")) ?? [""])[0]
    .trim()
    .replace(/[.,;!?]$/u, "");
  const isBare = /^[-+(]?\\(?![([]|boxed|fbox|text)|^[a-zA-Z]$/u.test(clause);
  return isBare ? (wholeExpression(clause)?.text ?? null) : null;
}

const symbol = /^\s*\\?[a-zA-Z]+(?:_\{?\w{1,4}\}?)?'?\s*$/u;

/** Value in "the largest $n$ is 34"; undefined without one. */
function saidOf(near: Span, text: string, start: number, places: readonly Span[]): Span | undefined {
  if (near.kind !== "formula" || !symbol.test(near.text)) return undefined;
  const sentence = /[.!?](?:\s|$)|\n/u.exec(text.slice(near.end));
  const end = near.end + (sentence?.index ?? text.length);
  const subject = /^\s*(?:is|equals|=|:)\s/u.test(text.slice(near.end, near.end + 12));
  const words = /[a-zA-Z]/u.test(text.slice(start, near.start).replace(/^\s*(?:is|are)\b/u, ""));
  if (!subject && !words) return undefined;
  return places.findLast(
    (span) =>
      span.start >= near.end &&
      span.start < end &&
      /(?:\b(?:is|are|be|equals|to)|=|:)\s*(?:(?:equal to|exactly|just|only|simply|therefore|thus)\s+)?\**$/u.test(
        text.slice(Math.max(near.end, span.start - 40), span.start).trimEnd(),
      ),
  );
}

function letterBefore(between: string): string {
  const letter = /^\s*(?:is|are)?[\s:*]*\(([A-H])\)[\s*:]*$/u.exec(between)?.[1];
  return letter === undefined ? "" : `(${letter}) `;
}

function lastCluster(text: string, spans: readonly Span[], rule: string, after?: Span): Candidate | null {
  const last = spans.at(-1);
  if (!last || (after && after.end > last.end)) return null;
  const joins = (a: Span, b: Span): boolean => joined(text.slice(a.end, b.start), b.kind);
  return { text: listText(text, withNeighbours(spans, spans.length - 1, joins)), rule };
}

/** Between a wrong answer and its correction. */
const correcting =
  /~~|\b(?:wrong|incorrect|mistaken?|instead|should|not?|actually|wait|but|correct(?:ed|ion|ly)?|however|rather|oops|hmm|sorry|so|therefore|hence|thus|then)\b/iu;

function joined(between: string, kind: Span["kind"]): boolean {
  const bare = between.replaceAll(/\\text|\\q?quad|[${}\\\s]/gu, "");
  if (correcting.test(between)) return false;
  if (/\b(?:and|or)\b|^[,;]/iu.test(between.replaceAll(/[{}]/gu, " ")) && between.length <= 60) return true;
  return kind === "box" && bare.length <= 8 && !bare.includes("=");
}

function boxSpans(text: string): Span[] {
  return boxesIn(text)
    .filter((box) => box.text.length <= longest)
    .map(({ start, end, text: held }) => ({ start, end, text: held.replaceAll(/(?<!\\)\$/gu, " "), kind: "box" }));
}

/** `$$…$$`, `\[…\]` over lines; `$…$`, `\(…\)` within one. */
const formula =
  /(?<!\\)\$\$((?:[^$]|\\\$){1,3000}?)(?<!\\)\$\$|\\\[(.{1,3000}?)\\\]|(?<![\\$])\$((?:[^$\n\\]|\\[^\n]){1,3000}?)(?<!\\)\$(?!\d)|\\\(([^\n]{1,3000}?)\\\)/gsu;

function formulasIn(text: string): Span[] {
  return [...text.matchAll(formula)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[1] ?? match[2] ?? match[3] ?? match[4] ?? "",
    kind: "formula" as const,
  }));
}

function wholeExpression(text: string): Candidate | null {
  const bare = text
    .trim()
    .replace(/^#+\s+/u, "")
    .replace(/^(\*\*|__|`)([^*_`]+)\1$/u, "$2");
  if (bare.length === 0 || bare.length > 400 || bare.includes("\n")) return null;
  const prose = bare
    .replaceAll(/\\[a-zA-Z]+|\{[^{}]*\}|(?<=[\d)])(?:or|and)(?![a-z])/gu, " ")
    .replaceAll(/\b(?:degrees?|sqrt|sin|cos|tan|arcsin|arccos|arctan|log|exp|and|infty|pi|np|math)\b/gu, " ");
  const words = prose.match(/[a-zA-Z]{3,}/gu) ?? [];
  const isWord = /^[a-zA-Z-]{1,30}$/u.test(bare);
  return words.length === 0 || isWord ? { text: withPoint(bare), rule: "the whole text" } : null;
}

function withPercent(text: string, { end, text: held }: Span): string {
  const base = baseBehind.exec(text.slice(end, end + 30))?.[1]?.toLowerCase();
  if (base !== undefined && /^\s*[\dA-Fa-f]+\s*$/u.test(held)) return `${held} ${base}`;
  const behind = /^[\s$})]*?(\\?%|percent(?:age)?\b|pct\b)/u.exec(text.slice(end, end + 16));
  return behind && !/%|percent|pct/u.test(held) ? `${held} ${behind[1]!.includes("%") ? "%" : "percent"}` : held;
}
