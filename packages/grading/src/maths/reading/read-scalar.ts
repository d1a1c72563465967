import { Fraction } from "fraction.js";
import { exactValue } from "../numbers/exact-value.ts";
import { floatValue } from "../numbers/float-value.ts";
import { samplePoint } from "../numbers/sample-point.ts";
import type { Scalar } from "../value.ts";
import { parseExpression } from "./parse-expression.ts";

/** Longer numbers are texts. */
const longestNumber = 400;

export function readScalar(input: string): Scalar {
  const { text, percent } = splitPercent(input);
  const exact = exactNumber(text);
  const value = exact && percent === "latex" ? exact.div(100) : exact;
  const decimal = !repeating.test(text) && /\d?\.\d/u.test(text);
  return { kind: "scalar", text, exact: value, decimal, percent };
}

export function isNumeric(text: string): boolean {
  const bare = text.replaceAll(/\\(?:frac|sqrt|cdot|times|div|pi|left|right)(?![a-zA-Z])/gu, "");
  return /\d/u.test(text) && !/[a-zA-Z]/u.test(bare);
}

/** The decimal is a rounded or cut number. */
export function approximates(about: Scalar, exact: Scalar): boolean {
  if (!about.exact || about.percent !== exact.percent) return false;
  const json = parseExpression(exact.text);
  if (json === null) return false;
  const value = floatValue(json, samplePoint(1));
  const decimals = /\.(\d+)/u.exec(about.text)?.[1]?.length ?? 0;
  return Math.abs(value.im) < 1e-9 && Math.abs(value.re - about.exact.valueOf()) <= 1.01 * 10 ** -decimals;
}

function splitPercent(text: string): { readonly text: string; readonly percent: Scalar["percent"] } {
  const match = /^(.*?)\s*(\\?%|percent(?:age)?|pct\.?|\\text\{\s*(?:percent|pct)\s*\})$/su.exec(text);
  if (!match) return { text, percent: "no" };
  return { text: match[1]!.trim(), percent: match[2] === "\\%" ? "latex" : "plain" };
}

/** `0.1\overline{6}` */
const repeating = /^([-+]?)\s*(\d*)\.(\d*)\s*\\(?:overline|bar|dot)\s*(?:\{\s*(\d{1,60})\s*\}|(\d))$/u;
const decimal = /^([-+]?)\s*(?:(\d+)?\.(\d+)|(\d+)\.?)(?:\s*[eE]\s*([-+]?\d{1,3}))?$/u;
const argument = String.raw`\s*(?:\{\s*[-+]?[\d.]+\s*\}|\d)`;
const calculated = new RegExp(
  [
    String.raw`^[-+]?[\d.,]+\s*(?:\\times|\\cdot|\*|x)\s*10\s*\^${argument}$`,
    String.raw`^[-+]?\s*(?:\d+\s*)?\\frac${argument}${argument}$`,
    String.raw`^[-+]?\s*[\d.]+\s*(?:\/|\\div|:)\s*[\d.]+$`,
    String.raw`^[-+]?\s*\d+\s+\d+\s*\/\s*\d+$`,
  ].join("|"),
  "u",
);
const spaced = /^[-+]?\d{1,3}(?: \d{3})+$/u;

/** Null for other texts. */
function exactNumber(text: string): Fraction | null {
  if (text.length > longestNumber) return null;
  const plain = decimalNumber(text) ?? (spaced.test(text) ? decimalNumber(text.replaceAll(" ", "")) : null);
  if (plain) return plain;
  const match = repeating.exec(text);
  if (match) {
    const [, minus, whole, places = "", block = match[5] ?? ""] = match;
    return new Fraction(`${minus === "-" ? "-" : ""}${whole || "0"}.${places}(${block})`);
  }
  const expression = calculated.test(text) ? parseExpression(text.replace("x", "\\times ")) : null;
  return expression === null ? null : exactValue(expression);
}

function decimalNumber(text: string): Fraction | null {
  const match = decimal.exec(text);
  if (!match) return null;
  const [, minus, whole, places, alone, exponent] = match;
  const value = new Fraction(`${minus === "-" ? "-" : ""}${whole ?? alone ?? "0"}.${places ?? "0"}`);
  return exponent === undefined ? value : value.mul(new Fraction(10).pow(Number(exponent)));
}
