import { wordTable } from "@laconic/core/checks";
import { measureOf } from "./measures.ts";

/**
 * Units that may follow a number without changing it. A benchmark that grades units says so itself; this list is short on
 * purpose, because a letter after a number is a variable as often as a unit.
 */
const words =
  "units?|points?|degrees?|deg|radians?|rad|feet|foot|ft|inch(?:es)?|in\\.|yards?|miles?|mi|mph|meters?|metres?|cm|mm|km|kilometers?|centimeters?|millimeters?|" +
  "seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|kg|grams?|kilograms?|pounds?|lbs?|ounces?|oz|tons?|liters?|litres?|gallons?|" +
  "dollars?|cents?|euros?|yuan|rupees?|people|students?|apples?|oranges?|books?|ways?|times|square|cubic|sq|per";

const plain = new RegExp(
  `(?<=[\\d})\\]])\\s*((?:(?:${words})(?![a-zA-Z])\\.?(?:\\s*\\^\\s*\\{?[23]\\}?)?\\s*)+)$`,
  "u",
);
const inText = /(?<=\S)\s*\\text\s*\{([^{}]{0,60})\}\s*(?:\^\s*\{?(-?\d)\}?)?\s*\.?$/u;
/** Words behind a number that say more than a unit. */
const saying =
  /\b(?:or|and|maybe|perhaps|possibly|if|else|not?|never|cannot|wrong|incorrect|false|invalid|impossible|excluded|rejected|discarded|extraneous|to|than|least|most|between|about|approximately|above|below)\b|n['’]t\b|[?\d]{2}|\?/iu;

const scales: Readonly<Record<string, string>> = wordTable({
  dozen: "12",
  hundred: "100",
  lakh: "100000",
  crore: "10000000",
  thousand: "1000",
  million: "1000000",
  billion: "1000000000",
  trillion: "1000000000000",
});
const percents = /^\s*(?:percent|pct)\.?\s*$/u;

/** A value without the unit behind it, and the measure that the unit is. */
export interface Measured {
  readonly text: string;
  readonly measure: string | null;
}

/** Units that multiply each other, in text commands with their powers. */
const product = String.raw`(?:\\text\s*\{[^{}]{1,30}\}\s*(?:\^\s*\{?-?\d\}?)?\s*(?:\\cdot(?![a-zA-Z]))?\s*){1,4}`;
const quotient = String.raw`\\frac\s*\{\s*(${product})\}\s*\{\s*(${product})\}`;
const unitRun = new RegExp(String.raw`(?:${quotient}|${product}(?:\/\s*${product})?)$`, "u");
const powerInside = /(\\text\s*\{[^{}]{1,30})\^\s*\{(-?\d)\}/gu;

/** Units side by side, or one over the other, at the end of a text, as one: `\frac{\text{km}}{\text{h}}` is `\text{km/h}`. */
function withJoinedUnits(text: string): string {
  const flat = text.replaceAll(powerInside, "$1^$2").replaceAll(powerInside, "$1^$2");
  const run = text.includes("\\text") ? unitRun.exec(flat) : null;
  if (!run) return flat;
  const unit = (run[1] === undefined ? run[0] : `${run[1]}/(${run[2]})`)
    .replaceAll(/\\text\s*\{([^{}]*)\}/gu, " $1")
    .replaceAll(/\\cdot|[{}]/gu, " ");
  const isJoined = run[1] !== undefined || (run[0].match(/\\text/gu) ?? []).length > 1;
  return isJoined && measureOf(unit) !== null ? `${flat.slice(0, run.index)}\\text{${unit}}` : flat;
}

/** Takes a unit off. Thousands and millions in words become factors; words that say more than a unit stay. */
export function withoutUnit(text: string): Measured {
  let rest = withJoinedUnits(text);
  let measure: string | null = null;
  for (let i = 0; i < 3; i++) {
    const said = inText.exec(rest);
    if (said && (percents.test(said[1] as string) || saying.test(said[1] as string))) break;
    const behind = said ?? plain.exec(rest);
    if (!behind) break;
    const [, name = "", power] = behind;
    const [first = "", ...others] = name.trim().split(/\s+/u);
    const scale = scales[first.toLowerCase()];
    measure ??= measureOf(scale === undefined ? name : others.join(" "), power);
    const next = rest.slice(0, behind.index).trim();
    if (next === "" || next === rest) break;
    rest = scale === undefined ? next : `(${next}) \\cdot ${scale}`;
  }
  return { text: rest, measure };
}

/** `24 m^2` where the other side is in square metres: a unit that only the other side tells from a name. */
export function withoutMeasure(text: string, measure: string): string | null {
  const [, number, letters, power] =
    /^([-+]?[\d.,]+(?:\s*\\frac\s*\{\d+\}\s*\{\d+\})?)\s*([a-zA-Z]{1,3})\s*(?:\^\s*\{?([23])\}?)?$/u.exec(text) ?? [];
  return number !== undefined && measureOf(letters ?? "", power) === measure ? number : null;
}
