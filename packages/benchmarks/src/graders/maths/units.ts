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
const inText =
  /(?<=\S)\s*\\(?:text|textbf|textit|textrm|textnormal|mbox|mathrm|hbox)\s*\{([^{}]{0,60})\}\s*(?:\^\s*\{?(-?\d)\}?)?\s*\.?$/u;
/** Words behind a number that say more than a unit. */
const saying =
  /\b(?:or|and|maybe|perhaps|possibly|if|else|not|to|than|least|most|between|about|approximately|above|below)\b|[?\d]{2}|\?/iu;

const scales: Readonly<Record<string, string>> = { thousand: "1000", million: "1000000", billion: "1000000000" };
const percents = /^\s*(?:percent|pct)\.?\s*$/u;

/** Measures by their names; a name that is not here is a thing that is counted, or nothing. */
const measures: readonly (readonly [string, RegExp])[] = [
  ["mph", /^(?:mph|mi(?:les?)?(?:\/|per)(?:h|hr|hour))$/u],
  ["km/h", /^(?:kmh|kph|k(?:m|ilomet(?:er|re)s?)(?:\/|per)(?:h|hr|hour))$/u],
  ["m/s", /^m(?:et(?:er|re)s?)?(?:\/|per)s(?:ec|econd)?$/u],
  ["mm", /^(?:mm|millimet(?:er|re)s?)$/u],
  ["cm", /^(?:cm|centimet(?:er|re)s?)$/u],
  ["km", /^(?:km|kilomet(?:er|re)s?)$/u],
  ["m", /^(?:m|met(?:er|re)s?)$/u],
  ["in", /^(?:in|inch|inches)$/u],
  ["ft", /^(?:ft|foot|feet)$/u],
  ["yd", /^(?:yd|yards?)$/u],
  ["mi", /^(?:mi|miles?)$/u],
  ["s", /^(?:s|secs?|seconds?)$/u],
  ["min", /^(?:mins?|minutes?)$/u],
  ["h", /^(?:h|hrs?|hours?)$/u],
  ["day", /^days?$/u],
  ["week", /^weeks?$/u],
  ["month", /^months?$/u],
  ["year", /^(?:yrs?|years?)$/u],
  ["g", /^(?:g|grams?)$/u],
  ["kg", /^(?:kg|kilograms?)$/u],
  ["lb", /^(?:lbs?|pounds?)$/u],
  ["oz", /^(?:oz|ounces?)$/u],
  ["l", /^(?:l|lit(?:er|re)s?)$/u],
  ["ml", /^(?:ml|millilit(?:er|re)s?)$/u],
  ["dollar", /^(?:usd|dollars?)$/u],
  ["cent", /^cents?$/u],
];

/** A measure with its power, such as `cm^2`; null where a text names none that is known. */
function measureOf(text: string, power: string | undefined): string | null {
  const bare = text.toLowerCase().replaceAll(/[\s().\\~,]/gu, "");
  const [, prefix, rest, sign] = /^(square|cubic|sq|cu)?(.*?)(?:s?(squared|cubed)|\^\{?([23])\}?)?$/u.exec(bare) ?? [];
  const named = measures.find(([, names]) => names.test(rest ?? ""))?.[0];
  if (named === undefined) return null;
  const word = prefix ?? sign;
  const by =
    /\^\{?([23])\}?$/u.exec(bare)?.[1] ?? power ?? (word === undefined ? "1" : word.startsWith("c") ? "3" : "2");
  return by === "1" ? named : `${named}^${by}`;
}

/** A value without the unit behind it, and the measure that the unit is. */
export interface Measured {
  readonly text: string;
  readonly measure: string | null;
}

/** Takes a unit off. Thousands and millions in words become factors; words that say more than a unit stay. */
export function withoutUnit(text: string): Measured {
  let rest = text;
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
