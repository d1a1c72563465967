import { compoundOf } from "../../number-reading.ts";

/** A stretch of a text that may be an answer. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: "box" | "formula" | "plain";
}

const number = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?|\.\d+)`;
/** `3√2`, `√(5)/2`, `2π`, typed as people do. */
const surd = String.raw`(?:\d+(?:\.\d+)?\s?)?(?:[√∛]\s?(?:\d+(?:\.\d+)?|\([^()\n]{1,40}\))\s?π?|π)(?![\p{L}])(?:\s*\/\s*\d+)?`;
const inProse = new RegExp(
  String.raw`(?<![\p{L}\d_^\\.,√∛π])[-+−]?(?:${surd}|${number}(?:[eE][-+]?\d{1,3}(?!\w)|\s*\/\s*\d+(?:\.\d+)?)?)`,
  "gu",
);
/** A number right behind a power's sign. */
const raised = new RegExp(String.raw`\^\s?\(?[-+]?${number}\)?`, "uy");
const operator = /^[ \t]*(?:[+*/×·÷−-]|\*\*)[ \t]*$/u;

/** Numbers in prose, with what calculates with them: `5 * 3` is one place. Numbers within `taken` are none. */
export function plainIn(text: string, taken: readonly Span[]): Span[] {
  const found: Span[] = [];
  const tail = Math.max(0, text.length - 4000);
  const spans = taken.toSorted((a, b) => a.start - b.start);
  for (const match of text.slice(tail).matchAll(inProse)) {
    const start = tail + match.index;
    if (spans.some((span) => start >= span.start && start < span.end)) continue;
    // With a name right behind it a number is a term.
    if (/^[xyzn](?![\p{L}\d])/u.test(text.slice(tail + match.index + match[0].length))) continue;
    const last = found.at(-1);
    const end = endOf(text, start + match[0].length);
    const between = last && text.slice(last.end, start);
    // The sign of `18 -3` is an operator too.
    const joins =
      between !== undefined && (operator.test(between) || (between.trim() === "" && /^[-+−]/u.test(match[0])));
    if (last && joins && !between.includes("\n")) {
      found[found.length - 1] = { ...last, end, text: powersOf(text.slice(last.start, end)) };
      continue;
    }
    found.push({ start, end, text: withPoint(powersOf(text.slice(start, end))), kind: "plain" });
  }
  return withCompounds(text, withBrackets(text, found));
}

function endOf(text: string, end: number): number {
  raised.lastIndex = end;
  const power = raised.exec(text)?.[0];
  return power === undefined ? end : end + power.length;
}

/** `(1 + √5)/2` and `2(1 + √5)` are one place. */
function withBrackets(text: string, places: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const place of places) {
    const last = all.at(-1);
    if (last && place.start < last.end) continue;
    const enclosed = text[place.start - 1] === "(" && text[place.end] === ")";
    const tail = enclosed
      ? /^\)(?:\s*[/*×·^]\s*\d+(?:\.\d+)?)*/u.exec(text.slice(place.end, place.end + 40))?.[0]
      : undefined;
    const factor = enclosed && last?.end === place.start - 1;
    if (tail === undefined || (tail === ")" && !factor)) all.push(place);
    else {
      const [start, end] = [factor ? last.start : place.start - 1, place.end + tail.length];
      const whole: Span = { start, end, text: powersOf(text.slice(start, end)), kind: "plain" };
      if (factor) all[all.length - 1] = whole;
      else all.push(whole);
    }
  }
  return all;
}

/** LaTeX reads one digit behind the sign. */
function powersOf(text: string): string {
  return text.replaceAll(/\^\s?\(?([-+]?[\d.,]+)\)?/gu, "^{$1}");
}

/** "18 dollars and 50 cents" is one place; one whose unit is not known says nothing. */
function withCompounds(text: string, places: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const place of places) {
    const last = all.at(-1);
    const together = last && compoundOf(text, last, place);
    if (last && together !== null && together !== undefined)
      all[all.length - 1] = {
        ...last,
        end: place.end,
        text: together === false ? "\\text{several units}" : together,
      };
    else all.push(place);
  }
  return all;
}

/** In prose `2,74` is a decimal; in a formula it is a list. */
export function withPoint(text: string): string {
  return text.replace(
    /^([-+]?)(?:(0),(\d+)|(\d+),(\d{1,2}|\d{4,}))$/u,
    (_, sign: string, zero, after, whole, places) => `${sign}${String(zero ?? whole)}.${String(after ?? places)}`,
  );
}
