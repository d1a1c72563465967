import { isWithin, sentencesOf, wholesOf, type Stretch } from "./sentences.ts";

export interface Passage {
  readonly text: string;
  readonly fact: boolean;
  readonly option?: boolean;
  /** Whether the answer depends on it, where a benchmark states that. */
  readonly needed?: boolean;
}

export function asksInWords(passages: readonly Passage[]): boolean {
  return passages.some(({ text, fact }) => !fact && /\p{L}{2}/u.test(text));
}

export function countFacts(passages: readonly Passage[]): number {
  return passages.filter(({ fact }) => fact).length;
}

/**
 * Splits a problem into facts (clauses) and the question asked: from the first sentence with a blank, else the last
 * with a question mark or an order such as "Find", else the last one. Its leading conditions ("If Ann has 3 apples, how
 * many …") are facts.
 */
export function passagesOf(text: string): Passage[] {
  const listed = optionsAt(text);
  const body = text.slice(0, listed);
  const sentences = sentencesOf(body);
  const last = askedAmong(sentences.map(({ start, end }) => body.slice(start, end)));
  const asked = sentences[last];
  if (!asked) return text === "" ? [] : [{ text, fact: false }];
  const whole = wholesOf(body);
  const question = asked.start + conditionsOf(body.slice(asked.start, asked.end));
  const from = isWithin(whole, question) ? asked.start : question;
  const stated = [...sentences.slice(0, last), ...(from > asked.start ? [{ start: asked.start, end: from }] : [])];
  const facts = withoutCrumbs(
    body,
    stated.flatMap((sentence) => clausesOf(body, sentence, whole)),
  );
  return [
    ...facts.map(({ start, end }) => ({ text: text.slice(start, end), fact: true })),
    { text: text.slice(from), fact: false },
  ];
}

function askedAmong(sentences: readonly string[]): number {
  const lastWith = (sign: RegExp): number => sentences.findLastIndex((sentence) => sign.test(sentence));
  const blank = sentences.findIndex((sentence) => /_{2,}/u.test(sentence));
  return [blank, lastWith(/\?/u), lastWith(order)].find((value) => value >= 0) ?? sentences.length - 1;
}

/** Start of lettered options, else the end. */
export function optionsAt(text: string): number {
  const lines = /(?<=^|\n)[ \t]*\(?A[).:][^\n]*\n+[ \t]*\(?B[).:]/u.exec(text);
  const inline = /\(A\)[\s\S]*?\(B\)/u.exec(text);
  const index = lines?.index ?? inline?.index ?? text.length;
  // A formula with options starts before the first letter.
  return Math.min(index, ...wholesOf(text).flatMap(({ start, end }) => (start < index && index < end ? [start] : [])));
}

/** Length of leading conditions; 0 if none. */
function conditionsOf(sentence: string): number {
  const match =
    /[,;]\s+(?=(?:then|so|and)?,?\s*(?:(?:in|at|by|for|to|on|of|from|with|about|after|during)\s+)?(?:how|what|which|who|whom|whose|where|when|why|is|are|was|were|do|does|did|can|could|will|would|find|calculate|determine|compute|express)\b)|[,;]\s+(?=then\b)/iu.exec(
      sentence,
    );
  if (match) {
    const [before, question] = [sentence.slice(0, match.index), sentence.slice(match.index + match[0].length)];
    const states =
      !asking.test(before) && !/^then\b/iu.test(question) && quantity.test(before) && !isCircumstance(before);
    if (condition.test(before) || states) return sentence.length - question.length;
  }
  // "If a ticket costs $15 how much do six cost?"
  const bare = condition.test(sentence) ? /\s+(?=how\s(?:many|much|long|far|old|fast|tall)\b)/iu.exec(sentence) : null;
  return bare ? bare.index + bare[0].length : 0;
}

export function isOrder(sentence: string): boolean {
  return order.test(sentence);
}

/** A heading, or "Oh!". */
export function isHeading(text: string): boolean {
  return (wordsIn(text) < 2 && !quantity.test(text)) || (wordsIn(text) < 4 && /:\s*$/u.test(text));
}

const order =
  /^["'“(\s]*(?:find|calculate|determine|compute|evaluate|solve|express|simplify|prove|show|give|state|name|choose|select|identify)\b/iu;

const asking =
  /^\s*(?:(?:in|at|by|for|to|on|of|from|with)\s+)?(?:how|what|which|who|whom|whose|where|why|find|calculate|determine|compute)\b/iu;

const condition = /^\s*(?:if|when|given|giving|assuming|assume|suppose|since|because|once|let)\b/iu;

/** Joins headings or "Oh!" to the next. */
function withoutCrumbs(text: string, stretches: readonly Stretch[]): Stretch[] {
  const retained: Stretch[] = [];
  let start: number | null = null;
  for (const stretch of stretches) {
    start ??= stretch.start;
    const reply = text.slice(start, stretch.end);
    if (wordsIn(reply) < 2 && !quantity.test(reply)) continue;
    retained.push({ start, end: stretch.end });
    start = null;
  }
  const last = retained.at(-1);
  if (start === null) return retained;
  const rest = { start, end: stretches.at(-1)?.end ?? start };
  return last ? [...retained.slice(0, -1), { start: last.start, end: rest.end }] : [rest];
}

/** Returns clauses with a quantity, or several tokens and a verb. */
function clausesOf(text: string, { start, end }: Stretch, whole: readonly Stretch[]): Stretch[] {
  const sentence = text.slice(start, end);
  const ends = [...sentence.matchAll(boundary)]
    .filter(({ index }) => !/\b(?:and|but|or|so)$/iu.test(sentence.slice(0, index)))
    .map(({ index, 0: sign }) => ({
      at: index + sign.length,
      weak: !/[,;]/u.test(sign),
      listed: sign.startsWith(",") && !conjunction.test(sentence.slice(index + sign.length)),
    }));
  const clauses: Stretch[] = [];
  let from = 0;
  ends.forEach(({ at, weak, listed }, i) => {
    const [left, right] = [sentence.slice(from, at), sentence.slice(at, ends[i + 1]?.at)];
    const stands = weak || listed ? tellsNumber : saysSomething;
    if (isWithin(whole, start + at) || date.test(left) || isCircumstance(left)) return;
    if (weak && isOnePhrase(left, right)) return;
    if (!stands(left) || !stands(right)) return;
    clauses.push({ start: start + from, end: start + at });
    from = at;
  });
  return [...clauses, { start: start + from, end }];
}

/** "After two months". */
function isCircumstance(text: string): boolean {
  return (
    /^\s*(?:and\s+|but\s+)?(?:in|on|at|after|before|for|during|by|from|with|within|of|over|under|every|each|last|this|next|one)\b/iu.test(
      text,
    ) &&
    wordsIn(text) <= 6 &&
    !/\b(?:is|are|was|were|has|have|had|bought|sold|gave|\p{L}{2,}ed)\b/iu.test(text)
  );
}

function wordsIn(text: string): number {
  return text.match(/\p{L}{2,}/gu)?.length ?? 0;
}

function tellsNumber(text: string): boolean {
  return quantity.test(text) && /\p{L}{3,}/u.test(text.replaceAll(new RegExp(number, "giu"), " "));
}

function saysSomething(text: string): boolean {
  return tellsNumber(text) || (wordsIn(text) >= 4 && verb.test(text));
}

const boundary =
  /;\s+|,\s+(?=(?:and|but|or|so|yet|while|whereas|then|because|since|although|though|if|when|after|before|until|unless|where|which|who|whose|whom)\b)|,\s+|\s+(?=(?:and|but|while|whereas|because)\s)/giu;

const date = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\p{L}*\.?\s+\d{1,2}(?:st|nd|rd|th)?,\s+$/iu;

const conjunction =
  /^(?:and|but|or|so|yet|while|whereas|then|because|since|although|though|if|when|after|before|until|unless|where|which|who|whose|whom)\b/iu;

/** "two and a half", "between 3 and 5 o'clock". */
function isOnePhrase(left: string, right: string): boolean {
  return (
    (endsInNumber.test(left) && beginsWithNumber.test(right)) ||
    (endsInMeasure.test(left) && beginsWithMeasure.test(right)) ||
    /\b(?:between|both|ratio|sum|product)\b/iu.test(left)
  );
}

export const quantityWords: string =
  "\\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|half|halves|thirds?|fourths?|fifths?|quarters?|once|twice|thrice|double|triple|dozens?|percent)\\b";
const number: string = `\\d|${quantityWords}`;
const quantity: RegExp = new RegExp(number, "iu");
const endsInNumber = new RegExp(`(?:${number})[\\d,.]*\\s*$`, "iu");
const beginsWithNumber = new RegExp(`^and\\s+(?:an?\\s+)?[$€£]?(?:${number})`, "iu");
/** "5 feet and 6 inches" */
const measure =
  "(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|feet|foot|inch(?:es)?|yards?|miles?|pounds?|ounces?|dollars?|cents?|(?:kilo|centi|milli)?met(?:er|re)s?|(?:kilo|milli)?grams?|lit(?:er|re)s?|degrees?|km|cm|mm|kg|ft|lbs?|oz)";
const endsInMeasure = new RegExp(`(?:${number})[\\d,.]*\\s+${measure}\\s*$`, "iu");
const beginsWithMeasure = new RegExp(`^and\\s+(?:${number})[\\d,.]*\\s+${measure}\\b`, "iu");

const verb =
  /\b(?:is|are|was|were|be|been|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall|gets?|got|gave|goes|went|made|took|saw|ran|ate|sold|bought|paid|cost|spent|left|lost|found|held|kept|won|cut|put|\p{L}{2,}(?:ed|es|ing)|\p{L}{3,}(?<!s)s)\b/iu;
