import { wordTable } from "@laconic/core/checks";
import type { InBase } from "../value.ts";

const names = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(" ");
const adjectives: Readonly<Record<string, string>> = wordTable({
  binary: "2",
  ternary: "3",
  octal: "8",
  hexadecimal: "16",
});
const digits = String.raw`[\dA-Fa-f]+`;
const command = String.raw`\\text`;
const subscripted = new RegExp(
  String.raw`^(${digits})_\s*(?:\{\s*(?:${command}\s*\{)?\s*(\d+|[a-z]+)\s*\}?\s*\}|(\d))$`,
  "u",
);
/** "1234 base five", "1234 in base 5", "1101 in binary". */
const message = new RegExp(
  String.raw`^(${digits}),?\s+(?:(?:in|en|zur)\s+)?(?:bas(?:e|is)[\s-]+(\d+|\p{L}+)|(${Object.keys(adjectives).join("|")}))$`,
  "u",
);

export const baseBehind: RegExp = new RegExp(
  String.raw`^[$}]*,?\s*\(?(?:in\s+|zur\s+|en\s+)?(base[\s-]+(?:\d+|${names.join("|")})|basis\s+(?:\d+|\p{L}+)|${Object.keys(adjectives).join("|")})(?![\p{L}\d])`,
  "iu",
);

/** Null without a named base. */
export function baseOf(text: string): InBase | null {
  const plain = text.replace(
    new RegExp(
      String.raw`^(?:${command}\s*\{\s*(${digits})\s*\}|\(\s*(${digits})\s*\))(?=\s*(?:_|\\text|in|base))`,
      "u",
    ),
    "$1$2",
  );
  const flat = text
    .replaceAll(new RegExp(String.raw`${command}|[{}()~]`, "gu"), " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const [, held = "", first, second] = subscripted.exec(plain) ?? message.exec(flat) ?? [];
  const base = first ?? second;
  if (!/^\d/u.test(held) || base === undefined) return null;
  const number = adjectives[base] ?? (names.includes(base) ? String(names.indexOf(base) + 2) : base);
  return { kind: "base", digits: held.toLowerCase(), base: number };
}
