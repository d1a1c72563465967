import { numberOfWords } from "../../reply/number-words.ts";
import { measureOf } from "./units.ts";
import { typedName } from "./typed-maths.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind: "box" | "formula" | "plain";
  /** An answer only after a cue. */
  readonly symbolic?: boolean;
}

type Operand = "number" | "letter" | "constant" | "function";
type Kind = Operand | "binary" | "sign" | "open" | "close" | "comma" | "bar" | "postfix" | "word";

interface Token {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Follows white space or a currency. */
  readonly spaced: boolean;
}

const number = String.raw`(?:\d*[\u00bc-\u00be\u2150-\u215e]|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?(?!\d)|\d{1,3}(?: \d{3})+(?!\d|\.\d|\s?\/)|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3}(?!\w))?`;
const lexer = new RegExp(
  [
    String.raw`(?<space>(?:[^\S\n]|\\[,;:! ]|\\?[$€£¥])+)`,
    String.raw`(?<number>${number})`,
    // Sentences may end with an exclamation mark.
    String.raw`(?<postfix>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+|!(?=\s?[-+*/^)\]=.!])|°)`,
    String.raw`(?<constant>[π∞])`,
    // The x of `6.02 x 10^23`.
    String.raw`(?<binary>\*\*|[<>!]=|[*/×·÷^=<>≤≥≠≈:]|(?<=\d )x(?= (?:\\?[$€£¥])?\.?\d))`,
    String.raw`(?<word>\\?(?:(?!π)\p{L})(?:(?![πⁿ])[\p{L}\p{M}])*(?:['’]\p{L}+|(?<=[a-zA-Z])\d+)*(?:_(?:\{[^{}\s]{1,5}\}|\w{1,4}))?)`,
    String.raw`(?<sign>[-+−–±])`,
    String.raw`(?<function>[√∛])`,
    String.raw`(?<open>[([{])`,
    String.raw`(?<close>[)\]}])`,
    String.raw`(?<comma>[,;])`,
    String.raw`(?<bar>\|)`,
    String.raw`(?<other>[^])`,
  ].join("|"),
  "gu",
);
const latexOperators = new Set("\\times \\cdot \\div \\leq \\geq \\le \\ge \\neq \\approx \\pm \\mp".split(" "));
/** Before a signed number. */
const copula = /^(?:is|are|be|equals?|equal|to|was|as|of|by|es|ist|est|é|adalah)$/iu;
const arithmetic = /^(?:\*\*?|[/×·÷^+±]|\\(?:times|cdot|div))$/u;
const calculating = /^(?:plus|minus|choose|divided|multiplied|squared|cubed|factorial)$/iu;
const scale = /^(?:hundred|lakh|crore|dozen|thousand|million|billion|trillion)$/iu;
/** Precedes a number in a script with spaces. */
const gluing = /[\p{L}\p{N}_](?<![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])$/u;
const tailLength = 4000;

/**
 * Finds complete expressions in prose, except `taken`. An expression with prose, such as `5 * (number of eggs)`, equals
 * none.
 */
export function proseExpressions(text: string, taken: readonly Span[]): Span[] {
  const places: Span[] = [];
  let start = Math.max(0, text.length - tailLength);
  const edges = taken.map((span) => ({ from: span.start, to: span.end })).toSorted((a, b) => a.from - b.from);
  for (const { from, to } of [...edges, { from: text.length, to: text.length }]) {
    if (from > start) places.push(...placesIn(text, tokensOf(text, start, from)));
    start = Math.max(start, to);
  }
  return withCompounds(
    text,
    places.map((span) => withPart(text, span)),
  );
}

function placesIn(text: string, tokens: readonly Token[]): Span[] {
  const places: Span[] = [];
  for (let index = 0; index < tokens.length;) {
    const first = isDash(text, tokens, index) ? index + 1 : index;
    const end = expressionEnd(tokens, first);
    const span = end > first ? placeOf(text, tokens, first, end) : null;
    if (span) places.push(span);
    index = Math.max(index + 1, end);
  }
  return places;
}

function tokensOf(text: string, from: number, to: number): Token[] {
  const tokens: Token[] = [];
  let spaced = true;
  lexer.lastIndex = from;
  for (let match = lexer.exec(text); match && match.index < to; match = lexer.exec(text)) {
    const groups = match.groups as Readonly<Record<string, string | undefined>>;
    const group = Object.keys(groups).find((key) => groups[key] !== undefined) as Kind | "space" | "other";
    const behind = text.slice(lexer.lastIndex, lexer.lastIndex + 3);
    const kind: Kind | "space" | "other" =
      group === "word" ? kindOfWord(match[0], spaced ? undefined : tokens.at(-1), behind) : group;
    if (kind !== "space")
      tokens.push({
        kind: kind === "other" ? "word" : kind,
        start: match.index,
        end: lexer.lastIndex,
        text: match[0],
        spaced,
      });
    spaced = kind === "space";
  }
  return tokens;
}

function kindOfWord(word: string, glued: Token | undefined, behind: string): Kind {
  if (word === "mod") return "binary";
  if (word.startsWith("\\")) return latexOperators.has(word) ? "binary" : "function";
  if (/^[\p{Script=Latin}\p{Script=Greek}](?:_.*)?$/u.test(word)) return "letter";
  const typed = typedName(word);
  if (typed === "constant") return "constant";
  if ((word === "Matrix" || typed !== null) && /^\s?\(/u.test(behind)) return "function";
  if (typed === "bare" && /^\s?[\d\p{L}√^]/u.test(behind)) return "function";
  // `12xy` is a product; `12kg` and `12th` are not.
  const product = glued?.kind === "number" && /^[abcknpqrxyz]{2,3}$/u.test(word) && measureOf(word) === null;
  return product ? "letter" : "word";
}

/** Longest complete expression; the start without one. */
function expressionEnd(tokens: readonly Token[], first: number): number {
  const open: string[] = [];
  let end = first;
  for (let index = first; ; index++) {
    const [token, after] = [tokens[index], tokens[index + 1]];
    const before = index === first ? undefined : tokens[index - 1];
    if (!token || !continues(token, before, after, open.at(-1))) return end;
    if (token.kind === "open" || (token.kind === "bar" && !endsOperand(before))) open.push(token.kind);
    else if (token.kind === "close" || token.kind === "bar") open.pop();
    if (open.length === 0 && endsOperand(token) && !(isCommand(token) && after?.kind === "open")) end = index + 1;
  }
}

function isCommand(token: Token | undefined): boolean {
  return token?.kind === "function" && token.text.startsWith("\\");
}

function endsOperand(token: Token | undefined): boolean {
  return token !== undefined && (operandEnds.has(token.kind) || isCommand(token));
}

/** @param open - innermost open bracket */
function continues(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
  open: string | undefined,
): boolean {
  const isPower = before?.kind === "function" && token.text === "^";
  if ((!endsOperand(before) && !isPower) || (isCommand(before) && operandStarts.has(token.kind)))
    return operandStarts.has(token.kind);
  if (token.kind === "close" || token.kind === "comma") return open === "open";
  if (token.kind === "bar") return open === "bar";
  return (
    (token.kind === "postfix" && !token.spaced) || isOperator(token, before!, after) || isFactor(before!, token, after)
  );
}

const operandStarts: ReadonlySet<Kind> = new Set(["number", "letter", "constant", "function", "sign", "open", "bar"]);
const operandEnds: ReadonlySet<Kind> = new Set(["number", "letter", "constant", "close", "bar", "postfix"]);

function isOperator(token: Token, before: Token, after: Token | undefined): boolean {
  if (token.text === ":") return before.kind === "number" && !token.spaced && after?.kind === "number" && !after.spaced;
  return token.kind === "binary" || token.kind === "sign";
}

/** `5m`, without a following calculation. */
function isUnit(before: Token, token: Token, after: Token | undefined): boolean {
  if (before.kind !== "number" || token.spaced || token.text === "in" || measureOf(token.text) === null) return false;
  return after === undefined || (after.kind !== "binary" && after.kind !== "sign" && after.kind !== "open");
}

function isFactor(before: Token, token: Token, after: Token | undefined): boolean {
  if (token.kind === "function" || token.kind === "constant") return before.kind !== "letter" || !token.spaced;
  if (isUnit(before, token, after)) return false;
  if (!token.spaced) return ["letter", "open", "number"].includes(token.kind);
  if (token.kind === "open") return before.kind === "close";
  // `2 1/2`
  if (token.kind === "number") return before.kind === "number" && after?.text === "/";
  // `3 x^2`, `3 x + 1`
  return token.kind === "letter" && before.kind === "number" && /^[-^+]$/u.test(after?.text ?? "");
}

function isDash(text: string, tokens: readonly Token[], index: number): boolean {
  const [before, sign, after] = [tokens[index - 1], tokens[index]!, tokens[index + 1]];
  if (sign.kind !== "sign" || !after || !/\s/u.test(text[sign.end] ?? "")) return false;
  const line = text.slice(text.lastIndexOf("\n", sign.start - 1) + 1, sign.start);
  const isBullet = line.trim() === "" && text.slice(0, sign.start).trim() !== "";
  return isBullet || (before !== undefined && /^\p{L}/u.test(before.text) && !copula.test(before.text));
}

/** Null for part of a word, or a name. */
function placeOf(text: string, tokens: readonly Token[], first: number, end: number): Span | null {
  const run = tokens.slice(first, end);
  const [head, tail] = [run[0]!, run.at(-1)!];
  const [before, after, behind] = [tokens[first - 1], tokens[end], tokens[end + 1]];
  // `covid-19`, `5-year`, `3rd`
  if (after && !after.spaced && /^(?:st|nd|rd|th)$/u.test(after.text)) return null;
  if (!head.spaced && before && gluing.test(before.text)) return null;
  const hyphen = after?.kind === "sign" && !after.spaced && behind?.spaced === false;
  if (hyphen && /^\p{L}/u.test(behind.text)) return null;
  const operator = (token: Token | undefined): boolean => token !== undefined && arithmetic.test(token.text);
  const incomplete =
    (operator(before) && /^\p{L}/u.test(tokens[first - 2]?.text ?? "")) ||
    (operator(after) && behind !== undefined && /^[\p{L}\\([{]/u.test(behind.text)) ||
    (after?.kind === "open" && !after.spaced) ||
    (after !== undefined && calculating.test(after.text)) ||
    /^\s?(?:(?:%|per ?cent)\s+)?of\s(?:(?!a\s[a-z])[a-z](?![a-z])|(?<=(?:%|cent)\s+of\s)[\d$€£(])/iu.test(
      text.slice(tail.end, tail.end + 18),
    );
  const minus = /\b(?:minus|negative)\s$/iu.test(text.slice(Math.max(0, head.start - 10), head.start)) ? "-" : "";
  const scaled = after !== undefined && (scale.test(after.text) || isUnit(tail, after, behind));
  const factor = scaled ? ` \\text{ ${after.text}}` : "";
  const kinds = run.map(({ kind }) => kind);
  const valued = kinds.some((kind) => kind === "number" || kind === "constant" || kind === "function");
  if (!valued && !kinds.some((kind) => kind === "binary" || kind === "sign")) return null;
  const expression = text
    .slice(head.start, tail.end)
    .replaceAll(/\\?[$€£¥]/gu, "")
    .replaceAll(/(?<=\d )x(?= \.?\d)/gu, "\\times");
  return {
    start: head.start,
    end: factor === "" ? tail.end : after!.end,
    text: incomplete ? "\\text{incomplete expression}" : minus + withPoint(expression) + factor,
    kind: "plain",
    ...(!valued && { symbolic: true }),
  };
}

/** "2 and a half" is a mixed number. */
function withPart(text: string, span: Span): Span {
  const [all = "", words = ""] =
    /^\s+and\s+((?:an?|one|two|three|four)[\s-]\p{L}+)/iu.exec(text.slice(span.end, span.end + 40)) ?? [];
  const [, over, under] = /^(\d+)\/(\d+)$/u.exec(numberOfWords(words) ?? "") ?? [];
  return over === undefined || !/^[-+]?\d+$/u.test(span.text)
    ? span
    : { ...span, end: span.end + all.length, text: `${span.text}\\frac{${over}}{${under}}` };
}

/** Merges "18 dollars and 50 cents". */
function withCompounds(text: string, places: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of places) {
    const last = all.at(-1);
    const together = last ? compoundOf(text, last, span) : null;
    if (last && together !== null) all[all.length - 1] = { ...last, end: span.end, text: together };
    else all.push(span);
  }
  return all;
}

/** Prose reads `2,74` as a decimal, `1.000.000` as a million. */
export function withPoint(text: string): string {
  if (/^[-+]?\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/u.test(text)) return text.replaceAll(".", "").replace(",", ".");
  return text.replace(/^([-+]?)(?:(0),(\d+)|(\d+),(\d{1,2}|\d{4,}))$/u, "$1$2$4.$3$5");
}

/** Larger units first. */
const kinds =
  "week day h min s; dollar cent; lb shilling pence; mi yd ft in; year month week day; km m cm mm; lb oz; kg g; gal quart pint cup"
    .split("; ")
    .map((kind) => kind.split(" "));

/** "18 dollars and 50 cents" is 18.50; null if not one quantity. */
function compoundOf(text: string, first: Span, second: Span): string | null {
  const [, unit] =
    /^\s*((?!and\b)[\p{L}]*)\.?\s*,?\s*(?:and\s+)?[$*]*$/iu.exec(text.slice(first.end, second.start)) ?? [];
  const after = /^\s*(\p{L}+)/u.exec(text.slice(second.end))?.[1];
  if (unit === undefined || after === undefined) return null;
  const isCurrency = unit === "" && text.slice(Math.max(0, first.start - 2), first.end).includes("$");
  const [large, small] = [isCurrency ? "dollar" : measureOf(unit), measureOf(after)];
  const isCompound = kinds.some((units) => {
    const [a, b] = [units.indexOf(large ?? ""), units.indexOf(small ?? "")];
    return a !== -1 && b > a;
  });
  if (!isCompound) return null;
  const [dollars = "", cents = ""] = [first, second].map((span) => span.text.replaceAll(",", ""));
  const isMoney = large === "dollar" && /^\d+$/u.test(dollars) && /^\d{1,2}$/u.test(cents);
  return isMoney ? `${dollars}.${cents.padStart(2, "0")}` : "\\text{several units}";
}
