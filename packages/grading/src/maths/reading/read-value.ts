import type { Fraction } from "fraction.js";
import { baseOf } from "./number-base.ts";
import { clockOf } from "./clock.ts";
import { exactValue } from "../numbers/exact-value.ts";
import type { Expression } from "../numbers/expression.ts";
import { rowsOf } from "../numbers/matrices.ts";
import { parseExpression } from "./parse-expression.ts";
import { normaliseLatex } from "./normalise.ts";
import { approximates, isNumeric, readScalar } from "./read-scalar.ts";
import { closingAt, splitTop, type Piece } from "./split-top.ts";
import { withoutUnit } from "./units.ts";
import { numberOfWords } from "../../reply/number-words.ts";
import { typedName, typedToLatex } from "./typed-maths.ts";
import type { Relator, Scalar, Tuple, Value } from "../value.ts";

/** Characters. */
const longestAnswer = 3000;
const deepest = 12;
const maxItems = 300;

/** Null if empty or too long. */
export function readValue(latex: string): Value | null {
  if (latex.length > longestAnswer) return null;
  const text = withoutCondition(withoutWrapping(normaliseLatex(unitVectors(latex) ?? latex)));
  if (text === "") return null;
  return read(text, 0);
}

/** `2\pi k, k \in \mathbb{Z}` is one answer. */
function withoutCondition(text: string): string {
  return text.replace(
    /(?<=[^,;\s(])\s*(?:[,;]\s*|(?=\\text|\())\(?\s*(?:\\text\s*\{\s*(?:where|for|with)(?: any| all)?(?: integers?)?\s*\}\s*)?[kmn]\s*\\in\s*\\mathbb\s*\{?\s*[ZN]\s*\}?\s*\)?$/u,
    "",
  );
}

function read(input: string, depth: number): Value | null {
  const text = rounded(withoutWrapping(input));
  if (text === "" || depth > deepest) return null;
  const next = (item: string): Value | null => read(item, depth + 1);
  return (
    clockOf(text) ??
    membership(text, next) ??
    congruence(text) ??
    listed(text, next) ??
    related(text, next) ??
    combined(text, next) ??
    matrix(text, next) ??
    matrixCalculation(text) ??
    bracketed(text, next) ??
    emptySet(text) ??
    baseOf(text) ??
    words(text) ??
    signedBoth(text) ??
    scalar(text)
  );
}

/** `]0, 1[` is the open interval. */
function rounded(text: string): string {
  const match = /^([\][])([^()[\]{},;]+[,;][^()[\]{},;]+)([\][])$/u.exec(text);
  if (!match || (match[1] === "[" && match[3] === "]")) return text;
  return `${match[1] === "]" ? "(" : "["}${match[2]}${match[3] === "[" ? ")" : "]"}`;
}

function membership(text: string, next: (text: string) => Value | null): Value | null {
  const parts = splitTop(text, /\\in(?![a-zA-Z])/u);
  return parts.length === 2 ? next(parts[1]!.text) : null;
}

const modulus = /^(.+?)\s*(\(?)\s*(\\[pb]?mod|\\text\s*\{\s*\(?\s*mod\s*\}|(?<![a-zA-Z])mod)(?![a-zA-Z])(.+)$/su;

/** `x \equiv 3 \pmod 7`, not the number `10 \bmod 7`. */
function congruence(text: string): Value | null {
  const match = text.includes("mod") ? modulus.exec(text) : null;
  const [, reply, opened, command, rest] = match ?? [];
  if (reply === undefined || rest === undefined) return null;
  if (command === "\\bmod" && opened === "" && !reply.includes("\\equiv")) return null;
  const under = rest.replaceAll(/^[\s({]+|[\s)}]+$/gu, "");
  const sides = splitTop(reply, relator).map((piece) => piece.text.trim());
  const several = splitTop(reply, /[,;]/u).length > 1 || /[,;=<>]|mod/u.test(under) || under === "";
  if (several || sides.length > 2 || (sides.length === 2 && !isName(sides[0]!))) return null;
  return { kind: "congruence", remainder: scalar(sides.at(-1)!), modulus: scalar(under) };
}

const conjunction =
  /\s*(?:,\s*)?(?:\\text\s*\{\s*,?\s*(?:and|or)\s*\}|(?<![a-zA-Z\\])(?:and|or)(?![a-z])|\\(?:lor|vee|land)(?![a-zA-Z]))\s*/u;
/** Separated by semicolons, "and" or commas. */
function listed(text: string, next: (text: string) => Value | null): Value | null {
  for (const separator of [/;/u, conjunction, /,/u]) {
    const pieces = splitTop(text, separator)
      .map((piece) => piece.text.trim())
      .filter((piece) => piece !== "");
    if (pieces.length < 2 || pieces.length > maxItems) continue;
    // `21, 16 or 11` is a list of three.
    const flat = separator === conjunction ? pieces.flatMap(itemsIn) : pieces;
    // `p=5, q=2` between semicolons is one answer.
    const list = collected(
      separator.source === ";" ? flat.map((piece) => (itemsIn(piece).length > 1 ? `(${piece})` : piece)) : flat,
      text,
      next,
    );
    if (list?.kind !== "set" || separator !== conjunction) return list;
    return { ...list, joined: /\\(?:lor|vee)(?![a-zA-Z])|(?<![a-zA-Z])or(?![a-z])/u.test(text) ? "or" : "and" };
  }
  return null;
}

function itemsIn(text: string): string[] {
  return splitTop(text, /,/u).map((piece) => piece.text.trim());
}

function collected(pieces: readonly string[], text: string, next: (text: string) => Value | null): Value | null {
  const items: Value[] = [];
  const names: string[] = [];
  for (const piece of pieces) {
    const value = next(piece);
    if (!value) return null;
    const name = value.kind === "relation" && value.assigned ? /^[a-zA-Z]$/u.exec(value.sides[0]?.text ?? "") : null;
    if (name) names.push(name[0]);
    // `n = 1, 2, 3` is one list.
    items.push(...itemsOf(value, piece));
  }
  // Sentences are no lists.
  const prose = items.every((item) => item.kind === "words") && /[a-zA-Z]{2,} [a-zA-Z]{2,}/u.test(text);
  if (prose) return { kind: "words", text };
  // `x = 1, y = 2` names each value.
  const named = names.length === items.length && new Set(names).size === names.length;
  return { kind: "set", items, ...(named && { names }) };
}

function assignedTo(value: Value): Value {
  return value.kind === "relation" && value.assigned ? value.assigned : value;
}

function itemsOf(value: Value, text: string): readonly Value[] {
  const held = assignedTo(value);
  return held.kind === "set" && held.items.length > 0 && !text.startsWith("\\{") ? held.items : [held];
}

const relator = /\\neq|\\leq|\\geq|\\approx|\\equiv|=|<|>/u;

function related(text: string, next: (text: string) => Value | null): Value | null {
  const all = splitTop(text, relator);
  if (all.length < 2) return null;
  const between = all.length === 2 ? absolute(all) : null;
  if (between !== null) return next(between);
  // Ignores approximations.
  const end = all.findIndex(
    ({ separator }, i) =>
      separator === "\\approx" &&
      (all.slice(1, i).some((piece) => piece.separator === "=") || isNumeric(all[i - 1]!.text)),
  );
  const pieces = end === -1 ? all : all.slice(0, end);
  const sides = pieces.map((piece) => piece.text.trim());
  const last = sides.at(-1)!;
  if (last === "" || sides.length > 8) return null;
  const approximation = all.length === end + 1 ? scalar(all.at(-1)!.text.trim()) : null;
  const about = approximation && approximates(approximation, scalar(last)) ? approximation : null;
  const relators = pieces
    .slice(1)
    .map(({ separator }): Relator =>
      separator === "\\approx" || separator === "\\equiv" ? "=" : (separator as Relator),
    );
  // `2 + 3 = 5` means 5, like `x = 5`.
  const named = relators.every((item) => item === "=") && (sides.slice(0, -1).some(isName) || sides.every(isNumeric));
  const turned = sides.length === 2 && relators[0] === "=" && isName(last) && isNumeric(sides[0]!);
  const bare = sides[0] === "" && relators.every((item) => item === "=");
  const isSaid = sides.length === 1 ? about !== null : named || bare;
  const assigned = turned ? next(sides[0]!) : isSaid ? next(last) : null;
  if (bare) return assigned;
  const scalars = sides.map(readScalar);
  const isFalling = relators.every((item) => item === ">" || item === "\\geq");
  return {
    kind: "relation",
    sides: isFalling ? scalars.toReversed() : scalars,
    relators: isFalling ? relators.toReversed().map((item) => (item === ">" ? "<" : "\\leq")) : relators,
    assigned,
    ...(about && { about }),
  };
}

/** Variable, function application, point, ratio. */
function isName(side: string): boolean {
  if (/^\(.*\)$/su.test(side)) return splitTop(side.slice(1, -1), /,/u).every((piece) => isName(piece.text.trim()));
  const applied = /^(\\?[a-zA-Z]+(?:_\{?\w{1,5}\}?)?'?)\s*\([^()]*\)$/u.exec(side);
  if (applied) return true;
  const letters = side.replaceAll(/\\text\s*\{[^{}]*\}|_\s*(?:\{[^{}]*\}|\w)/gu, "n");
  return /[a-zA-Z]/u.test(letters) && !/[+\-\d!]|\\(?:sqrt|pm|sum|int|log|ln|sin|cos|tan)/u.test(letters);
}

/** Null if one has no value. */
function readAll(pieces: readonly Piece[], next: (text: string) => Value | null): Value[] | null {
  const values = pieces.map(({ text }) => next(text));
  return values.every((value) => value !== null) ? values : null;
}

function combined(text: string, next: (text: string) => Value | null): Value | null {
  for (const operation of ["\\cup", "\\cap", "\\setminus"] as const) {
    const pieces = splitTop(text, new RegExp(`\\${operation}(?![a-zA-Z])`, "u"));
    if (pieces.length < 2) continue;
    const parts = readAll(pieces, next);
    return parts && { kind: "combination", operation, parts };
  }
  return null;
}

const environments =
  /^\\begin\{(?:[pbB]?matrix|smallmatrix|array)\}\s*(?:\{[lcr|\s]*\})?(.*)\\end\{(?:[pbB]?matrix|smallmatrix|array)\}$/su;

function matrix(text: string, next: (text: string) => Value | null): Value | null {
  const bare = text.replace(/^[([]\s*(\\begin.*\\end\{\w+\})\s*[)\]]$/su, "$1");
  const inner = environments.exec(bare)?.[1];
  if (inner === undefined || closingAt(bare, 0) !== bare.length) return null;
  const rows: Value[][] = [];
  for (const { text: line } of splitTop(inner, /\\\\(?:\s*\[-?[\d.]+\s*(?:pt|em|ex|mm|cm)\])?|\\cr(?![a-z])/u)) {
    if (line.trim() === "") continue;
    const row = readAll(splitTop(line, /&/u), next);
    if (!row) return null;
    rows.push(row);
  }
  return rows.length === 0 ? null : { kind: "matrix", rows };
}

function matrixCalculation(text: string): Value | null {
  const calculation = text.includes("\\begin{") ? parseExpression(text) : null;
  const rows = calculation === null ? null : rowsOf(calculation);
  const decimal = /\d?\.\d/u.test(text);
  return rows && { kind: "matrix", rows: rows.map((row) => row.map((entry) => calculatedScalar(entry, decimal))) };
}

function calculatedScalar(expression: Expression, decimal: boolean): Scalar {
  const text = JSON.stringify(expression).replaceAll(":", "");
  return { kind: "scalar", text, exact: exactValue(expression), decimal, percent: "no", expression };
}

function bracketed(text: string, next: (text: string) => Value | null): Value | null {
  const set = text.startsWith("\\{");
  if (!set && !/^[([]/u.test(text)) return null;
  if (closingAt(text, 0) !== text.length) return null;
  const inner = set ? text.slice(2, -2) : text.slice(1, -1);
  const built = set ? splitTop(inner, /\\mid(?![a-z])|\||:/u) : [];
  if (built.length > 1) {
    const real = /^[a-zA-Z](?:\s*\\in\s*\\mathbb\s*\{?\s*R\s*\}?)?$/u.test(built[0]!.text.trim());
    const condition = real && built.length === 2 ? next(built[1]!.text) : null;
    return condition?.kind === "relation" && !condition.assigned ? condition : readScalar(text);
  }
  const pieces = splitTop(inner, /[,;]/u).map((piece) => piece.text.trim());
  if (!set && pieces.length === 1) return null;
  const items: Value[] = [];
  for (const piece of pieces) {
    if (piece === "" && (set || pieces.length > 1)) continue;
    const row = /^\[([^[\],;]+)\]$/u.exec(piece)?.[1];
    const only = row === undefined ? null : next(row);
    const item: Value | null = only ? { kind: "tuple", open: "[", close: "]", items: [only] } : next(piece);
    if (!item) return null;
    items.push(...(set ? itemsOf(item, piece) : [assignedTo(item)]));
  }
  if (set) return { kind: "set", items };
  return { kind: "tuple", open: text[0] as Tuple["open"], close: text.at(-1) as Tuple["close"], items };
}

const noSolution = /^(?:none|(?:there (?:is|are) )?no (?:real )?solutions?(?: exists?)?)[.!]?$/iu;

function emptySet(text: string): Value | null {
  const reply = text.replaceAll(/\\text\s*\{([^{}]*)\}/gu, "$1").trim();
  return /^\\(?:emptyset|varnothing)$/u.test(text) || noSolution.test(reply) ? { kind: "set", items: [] } : null;
}

const textual = /^[({\s]*(?:\\text\s*\{[^{}]*\}[)}\s.]*)+$/u;

const realNumbers = /^(?:all)?real(?:s|numbers)$/u;

/** Shorter runs may be products: `x-y`, but `y-axis`. */
const plainWords =
  /^(?:[yY]es|[nN]o|NO|YES|[oO]dd|[a-zA-Z][a-z]{3,}|(?=[^-]*$|.*[a-zA-Z]{4})[a-zA-Z]+(?:[ -][a-zA-Z]+)+)[.!]?$/u;

function words(text: string): Value | null {
  const reply = textual.test(text) ? text.replaceAll(/\\text\s*\{([^{}]*)\}/gu, "$1") : text;
  const isWords = reply !== text ? !/^\W*\d[\d.,\s]*$/u.test(reply) : plainWords.test(reply);
  if (!isWords) return reply === text ? null : readScalar(reply.trim());
  const meaning = typedName(reply.trim()) === "constant" ? typedToLatex(reply).trim() : numberOfWords(reply.trim());
  if (meaning !== null) return readScalar(meaning);
  if (realNumbers.test(reply.toLowerCase().replaceAll(/[^a-z]/gu, ""))) return readScalar("\\mathbb{R}");
  return { kind: "words", text: reply.trim() };
}

/** `1 \pm \sqrt 5` has two values. */
function signedBoth(text: string): Value | null {
  if (!/\\(?:pm|mp)(?![a-zA-Z])/u.test(text)) return null;
  const [plus, minus] = ["+", "-"].map((sign) => {
    const other = sign === "+" ? "-" : "+";
    const chosen = text.replaceAll(/\\pm(?![a-zA-Z])/gu, sign).replaceAll(/\\mp(?![a-zA-Z])/gu, other);
    return scalar(chosen.replace(/^\s*\+\s*/u, ""));
  });
  return { kind: "set", items: [plus!, minus!] };
}

function scalar(text: string): Scalar {
  const { text: bare, measure } = withoutUnit(text);
  const value = readScalar(withoutWrapping(bare));
  return measure === null ? value : { ...value, measure };
}

/** `\text{The answer is }` before an answer. */
const leadIn =
  /^\\text\s*\{[^{}]{0,40}\b(?:answer|result|solution|respuesta|réponse|antwort|resposta|jawaban)\b[^{}]{0,20}\}(?=\s*[^\s.])/iu;

function withoutWrapping(input: string): string {
  let text = input.trim().replace(leadIn, "").trim();
  for (let i = 0; i < 10; i++) {
    let bare = text
      .replaceAll(/^\$+|\$+$/gu, "")
      .replace(/^[,;:\s]+/u, "")
      .replace(/(?:[,;:\s]|(?<!\.)\.)+$/u, "")
      .trim();
    for (const open of ["\\boxed{", "\\fbox{", "{", "\\text{$"])
      if (bare.startsWith(open) && bare.endsWith("}") && closingAt(bare, open.indexOf("{")) === bare.length)
        bare = bare.slice(open.length, -1).trim();
    if (/^\((?!.*[,;])/su.test(bare) && closingAt(bare, 0) === bare.length && bare.endsWith(")"))
      bare = bare.slice(1, -1).trim();
    if (bare === text) break;
    text = bare;
  }
  return text;
}

const constant = /^(?:\\(?:frac|sqrt|pi)(?![a-zA-Z])|[\d\s{}.[\]/()])+$/u;

/** Rewrites `|x - 1/2| < 5/2` as `-2 < x < 3`, `>` as two rays. */
function absolute([first, second]: readonly Piece[]): string | null {
  const inner = /^\|([^|]{1,60})\|$/u.exec(first?.text.trim() ?? "")?.[1] ?? "";
  const { text = "", separator: sign = "" } = second ?? {};
  const [name, ...others] = new Set(inner.replaceAll(/\\[a-zA-Z]+/gu, "").match(/[a-zA-Z]/gu));
  const json = name === undefined || others.length > 0 || !constant.test(text.trim()) ? null : parseExpression(inner);
  if (json === null) return null;
  const valueAt = (index: number): Fraction | null => exactValue(json, () => index);
  const shift = valueAt(0);
  const slope = shift && valueAt(1)?.sub(shift);
  const isLine = slope && [2, 5].every((index) => valueAt(index)?.equals(slope.mul(index).add(shift)));
  if (!isLine || slope.equals(0)) return null;
  const ends = ["-", ""].map((minus) => `\\frac{${minus}(${text})-(${latexOf(shift)})}{${latexOf(slope)}}`);
  const [low, high] = slope.s < 0n ? ends.toReversed() : ends;
  if (sign === "<" || sign === "\\leq") return `${low} ${sign} ${name} ${sign} ${high}`;
  const less = sign === ">" ? "<" : "\\leq";
  return sign === ">" || sign === "\\geq" ? `${name} ${less} ${low} \\text{ or } ${name} ${sign} ${high}` : null;
}

function latexOf({ s, n, d }: Fraction): string {
  return `\\frac{${s < 0n ? "-" : ""}${n}}{${d}}`;
}

const vector = String.raw`\\(?:mathbf|hat|vec|widehat)\s*\{?\s*(?:\\(?:mathbf)\s*\{?\s*)?\\?(i|j|k)(?:math)?\s*\}{0,2}`;
const behind = new RegExp(String.raw`^(.*?)\s*(?:\\cdot|\\,)?\s*${vector}$`, "su");

/** Rewrites `2\mathbf{i} - \mathbf{j}` as `(2, -1)`; null for other texts. */
function unitVectors(latex: string): string | null {
  if (!new RegExp(vector, "u").test(latex)) return null;
  const coordinates = new Map<string, string>();
  const terms = splitTop(latex.trim().replaceAll("$", ""), /(?<=\S\s*)[-+]/u);
  for (const { text, separator } of terms) {
    const [, factor, name] = behind.exec(text.trim()) ?? [];
    if (factor === undefined || name === undefined || coordinates.has(name)) return null;
    const size = factor.trim() === "" ? "1" : factor.trim() === "-" ? "-1" : factor.trim();
    coordinates.set(name, separator === "-" ? `-(${size})` : size);
  }
  const axes = coordinates.has("k") ? ["i", "j", "k"] : ["i", "j"];
  return `(${axes.map((axis) => coordinates.get(axis) ?? "0").join(", ")})`;
}
