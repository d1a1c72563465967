import { Fraction } from "fraction.js";
import type { Scalar } from "../value.ts";

/** Digits beyond which a number is compared as text. */
const longestNumber = 400;

/** Reads an expression without reading into it: exact numbers at once, anything else when it is compared. */
export function readScalar(given: string): Scalar {
  const { text, percent } = splitPercent(given);
  const exact = exactNumber(text);
  const value = exact && percent === "latex" ? exact.div(100) : exact;
  const decimal = !repeating.test(text) && /\d?\.\d/u.test(text);
  return { kind: "scalar", text, exact: value, decimal, percent };
}

/** Whether a text is a calculation with numbers alone. */
export function isNumeric(text: string): boolean {
  const bare = text.replaceAll(/\\(?:frac|sqrt|cdot|times|div|pi|left|right)(?![a-zA-Z])/gu, "");
  return /\d/u.test(text) && !/[a-zA-Z]/u.test(bare);
}

function splitPercent(text: string): { readonly text: string; readonly percent: Scalar["percent"] } {
  const match = /^(.*?)\s*(\\?%|percent(?:age)?|pct\.?|\\text\{\s*(?:percent|pct)\s*\})$/su.exec(text);
  if (!match) return { text, percent: "no" };
  return { text: (match[1] as string).trim(), percent: match[2] === "\\%" ? "latex" : "plain" };
}

/** `0.1\overline{6}` */
const repeating = /^([-+]?)\s*(\d*)\.(\d*)\s*\\(?:overline|bar|dot)\s*(?:\{\s*(\d{1,60})\s*\}|(\d))$/u;
const integer = "\\d{1,3}(?:,\\d{3})+|\\d+";
const decimal = new RegExp(
  `^([-+]?)\\s*(?:(${integer})?\\.(\\d+)|(${integer})\\.?)(?:\\s*[eE]\\s*([-+]?\\d{1,3}))?$`,
  "u",
);
const scientific = /^([-+]?[\d.,]+)\s*(?:\\times|\\cdot|\*|x)\s*10\s*\^\s*(?:\{\s*([-+]?\d{1,3})\s*\}|(\d))$/u;
const fraction = /^([-+]?)\s*\\frac\s*(?:\{\s*([-+]?[\d.]+)\s*\}|(\d))\s*(?:\{\s*([-+]?[\d.]+)\s*\}|(\d))$/u;
const slash = /^([-+]?\s*[\d.]+)\s*(?:\/|\\div|:)\s*([\d.]+)$/u;
const mixed = /^([-+]?)\s*(\d+)\s*\\frac\s*(?:\{\s*(\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))$/u;
const mixedSlash = /^([-+]?)\s*(\d+)\s+(\d+)\s*\/\s*(\d+)$/u;
const spaced = /^[-+]?\d{1,3}(?: \d{3})+$/u;

/** The exact value of a number as it is written; null for anything that is more than a number. */
export function exactNumber(text: string): Fraction | null {
  if (text.length > longestNumber) return null;
  const plain = decimalNumber(text) ?? (spaced.test(text) ? decimalNumber(text.replaceAll(" ", "")) : null);
  if (plain) return plain;
  let match = repeating.exec(text);
  if (match) {
    const [, minus, whole = "", places = "", block = match[5] ?? ""] = match;
    const value = new Fraction(`${whole || "0"}.${places || "0"}`);
    const tail = new Fraction(block).div(`${"9".repeat(block.length)}${"0".repeat(places.length)}`);
    return signed(minus, value.add(tail));
  }
  match = scientific.exec(text);
  if (match) {
    const factor = decimalNumber(match[1] as string);
    return factor ? factor.mul(new Fraction(10).pow(Number(match[2] ?? match[3]))) : null;
  }
  match = fraction.exec(text);
  if (match) return signed(match[1], quotient(match[2] ?? match[3], match[4] ?? match[5]));
  match = slash.exec(text);
  if (match) return quotient((match[1] as string).replaceAll(/\s/gu, ""), match[2]);
  match = mixed.exec(text);
  if (match) return mixedNumber(match[1], match[2], match[3] ?? match[4], match[5] ?? match[6]);
  match = mixedSlash.exec(text);
  return match ? mixedNumber(match[1], match[2], match[3], match[4]) : null;
}

function decimalNumber(text: string): Fraction | null {
  const match = decimal.exec(text);
  if (!match) return null;
  const [, minus, whole, places, alone, exponent] = match;
  const value = new Fraction(
    `${minus === "-" ? "-" : ""}${(whole ?? alone ?? "0").replaceAll(",", "")}.${places ?? "0"}`,
  );
  return exponent === undefined ? value : value.mul(new Fraction(10).pow(Number(exponent)));
}

function quotient(over: string | undefined, under: string | undefined): Fraction | null {
  const [top, bottom] = [decimalNumber(over ?? ""), decimalNumber(under ?? "")];
  return top && bottom && !bottom.equals(0) ? top.div(bottom) : null;
}

/** `137 \frac{1}{2}`; a part that is no proper fraction makes it a product. */
function mixedNumber(minus: string | undefined, whole?: string, over?: string, under?: string): Fraction | null {
  const part = quotient(over, under);
  if (!part || part.compare(1) >= 0 || part.equals(0)) return null;
  return signed(minus, new Fraction(whole ?? "0").add(part));
}

function signed(minus: string | undefined, value: Fraction | null): Fraction | null {
  return value && minus === "-" ? value.neg() : value;
}
