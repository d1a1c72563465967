import { wordTable } from "@laconic/core/checks";
import { Fraction } from "fraction.js";

const small =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const cardinals = wordTable<bigint>({
  ...Object.fromEntries(small.split(" ").map((word, i) => [word, BigInt(i)])),
  ...Object.fromEntries(
    "twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, i) => [word, BigInt(10 * i + 20)]),
  ),
});
/** Multipliers: "twelve hundred", "nine hundred thousand". */
const scales: readonly (readonly [word: string, value: bigint, count: bigint])[] = [
  ["trillion", 10n ** 12n, 1000n],
  ["billion", 10n ** 9n, 1000n],
  ["million", 10n ** 6n, 1000n],
  ["thousand", 1000n, 1000n],
  ["hundred", 100n, 100n],
  ["dozen", 12n, 100n],
];
const irregular = "half third quarter fourth fifth eighth ninth twelfth twentieth thirtieth fortieth fiftieth";
const irregularValues = [2, 3, 4, 4, 5, 8, 9, 12, 20, 30, 40, 50];
const denominators = wordTable<number>({
  ...Object.fromEntries("six seven ten eleven".split(" ").map((word) => [`${word}th`, Number(cardinals[word])])),
  ...Object.fromEntries(irregular.split(" ").map((word, i) => [word, irregularValues[i]!])),
  hundredth: 100,
  thousandth: 1000,
  millionth: 1e6,
});

/**
 * Exact number of an English phrase, such as `12`, `-7`, `1/2` or `1.5`: "minus seven", "three quarters", "a dozen".
 * Null for other phrases.
 */
export function numberOfWords(phrase: string): string | null {
  if (phrase.length > 200) return null;
  const words = phrase
    .toLowerCase()
    .split(/\s*,\s+|[\s\u2010\u2011-]+/u)
    .filter(Boolean);
  const negative = words[0] === "minus" || words[0] === "negative";
  const value = unsigned(negative ? words.slice(1) : words);
  return value === null ? null : `${negative && value !== "0" ? "-" : ""}${value}`;
}

function unsigned(words: readonly string[]): string | null {
  const point = words.indexOf("point");
  if (point !== -1) {
    const whole = point === 0 ? 0n : cardinalOf(words.slice(0, point));
    const decimals = words.slice(point + 1).map((word) => cardinals[word] ?? 10n);
    return whole === null || decimals.length === 0 || decimals.some((digit) => digit > 9n)
      ? null
      : `${whole}.${decimals.join("")}`;
  }
  if (words.join(" ") === "half a dozen") return "6";
  const whole = cardinalOf(words);
  if (whole !== null) return String(whole);
  const and = words.lastIndexOf("and");
  const [count, part] = [and === -1 ? 0n : cardinalOf(words.slice(0, and)), fractionOf(words.slice(and + 1))];
  return count === null || part === null ? null : part.add(count.toString()).toFraction();
}

const parts = [...Object.keys(cardinals), ...scales.map(([name]) => name), ...Object.keys(denominators)].join("|");
const phrase = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?:minus|negative|an?|${parts})(?:(?:,?\s+|-)(?:an?|and|point|halves|(?:${parts})s?)(?!\p{L})){0,15}(?![\p{L}-])`,
  "giu",
);
/** Precedes the pronoun "one", or "half" as a part. */
const notCounted =
  /^(?:one|half|a (?:half|third|quarter))\s+(?:of|that|which|who|with|in|for|is|at|from|another|by|more|thing|way)\b/iu;

/** Characters at the end. */
const longest = 2000;

export function wordNumbersIn(text: string): readonly { value: string; start: number; end: number }[] {
  const matches: { value: string; start: number; end: number }[] = [];
  phrase.lastIndex = Math.max(0, text.length - longest);
  for (let match = phrase.exec(text); match; match = phrase.exec(text)) {
    let [words] = match;
    let value = numberOfWords(words);
    while (value === null && words !== "") {
      words = /^(.*[^\s,-])[\s,-]+\S+$/su.exec(words)?.[1] ?? "";
      value = numberOfWords(words);
    }
    const [start, end] = [match.index, match.index + words.length];
    if (value !== null && !notCounted.test(text.slice(start, end + 10))) matches.push({ value, start, end });
    if (words !== "") phrase.lastIndex = end;
  }
  return matches;
}

/** Null from 10^15. */
function cardinalOf(words: readonly string[]): bigint | null {
  for (const [name, value, most] of scales) {
    const index = words.indexOf(name);
    if (index === -1) continue;
    const count = index === 1 && words[0] === "a" ? 1n : cardinalOf(words.slice(0, index));
    const tail = words.slice(words[index + 1] === "and" ? index + 2 : index + 1);
    const rest = index === words.length - 1 ? 0n : cardinalOf(tail);
    const valid = count !== null && count > 0n && count < most && rest !== null && rest < value;
    return valid && (rest > 0n || tail.length === 0) ? count * value + rest : null;
  }
  const [first, second] = words.map((word) => cardinals[word]);
  if (first === undefined || words.length === 1) return first ?? null;
  return words.length === 2 && first >= 20n && second !== undefined && second > 0n && second < 10n
    ? first + second
    : null;
}

/** Plural unless the count is one, so "twenty-fifth" is no fraction. */
function fractionOf(words: readonly string[]): Fraction | null {
  const last = (words.at(-1) ?? "").replace(/^halves$/u, "halfs");
  const before = words.slice(0, -1);
  const count = before.length === 0 ? (last === "half" ? 1n : null) : before.join() === "a" ? 1n : cardinalOf(before);
  const under = denominators[count === 1n ? last : last.replace(/s$/u, "")];
  if (count === null || under === undefined || (count !== 1n && !last.endsWith("s"))) return null;
  return new Fraction(count.toString()).div(under);
}
