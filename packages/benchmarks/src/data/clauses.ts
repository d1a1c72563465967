import { isWithin, type Stretch } from "./sentences.ts";

/** Clauses of a sentence. A cut leaves something that is said on either side: a quantity, or several words with a verb. */
export function clausesOf(text: string, { start, end }: Stretch, whole: readonly Stretch[]): Stretch[] {
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

/** "After two months", "In one week": when and where something is, not what. */
export function isCircumstance(text: string): boolean {
  return (
    /^\s*(?:and\s+|but\s+)?(?:in|on|at|after|before|for|during|by|from|with|within|of|over|under|every|each|last|this|next|one)\b/iu.test(
      text,
    ) &&
    wordsIn(text) <= 6 &&
    !/\b(?:is|are|was|were|has|have|had|bought|sold|gave|\p{L}{2,}ed)\b/iu.test(text)
  );
}

/** Words of two letters and more. */
export function wordsIn(text: string): number {
  return text.match(/\p{L}{2,}/gu)?.length ?? 0;
}

/** A quantity of something. */
function tellsNumber(text: string): boolean {
  return quantity.test(text) && /\p{L}{3,}/u.test(text.replaceAll(new RegExp(number, "giu"), " "));
}

function saysSomething(text: string): boolean {
  return tellsNumber(text) || (wordsIn(text) >= 4 && verb.test(text));
}

/** Where a clause may end: behind a semicolon or comma, or before a conjunction. */
const boundary =
  /;\s+|,\s+(?=(?:and|but|or|so|yet|while|whereas|then|because|since|although|though|if|when|after|before|until|unless|where|which|who|whose|whom)\b)|,\s+|\s+(?=(?:and|but|while|whereas|because)\s)/giu;

const date = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\p{L}*\.?\s+\d{1,2}(?:st|nd|rd|th)?,\s+$/iu;

const conjunction =
  /^(?:and|but|or|so|yet|while|whereas|then|because|since|although|though|if|when|after|before|until|unless|where|which|who|whose|whom)\b/iu;

/** "two and a half", "between 3 and 5 o'clock": what follows belongs to it. */
function isOnePhrase(left: string, right: string): boolean {
  return (
    (endsInNumber.test(left) && beginsWithNumber.test(right)) ||
    (endsInMeasure.test(left) && beginsWithMeasure.test(right)) ||
    /\b(?:between|both|ratio|sum|product)\b/iu.test(left)
  );
}

const number =
  "\\d|\\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|half|halves|thirds?|fourths?|fifths?|quarters?|once|twice|thrice|double|triple|dozens?|percent)\\b";
/** A number in digits or words. */
export const quantity: RegExp = new RegExp(number, "iu");
const endsInNumber = new RegExp(`(?:${number})[\\d,.]*\\s*$`, "iu");
const beginsWithNumber = new RegExp(`^and\\s+(?:an?\\s+)?[$€£]?(?:${number})`, "iu");
/** "5 feet and 6 inches" */
const measure =
  "(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|feet|foot|inch(?:es)?|yards?|miles?|pounds?|ounces?|dollars?|cents?|(?:kilo|centi|milli)?met(?:er|re)s?|(?:kilo|milli)?grams?|lit(?:er|re)s?|degrees?|km|cm|mm|kg|ft|lbs?|oz)";
const endsInMeasure = new RegExp(`(?:${number})[\\d,.]*\\s+${measure}\\s*$`, "iu");
const beginsWithMeasure = new RegExp(`^and\\s+(?:${number})[\\d,.]*\\s+${measure}\\b`, "iu");

const verb =
  /\b(?:is|are|was|were|be|been|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall|gets?|got|gave|goes|went|made|took|saw|ran|ate|sold|bought|paid|cost|spent|left|lost|found|held|kept|won|cut|put|\p{L}{2,}(?:ed|es|ing)|\p{L}{3,}(?<!s)s)\b/iu;
