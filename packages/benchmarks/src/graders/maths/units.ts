/**
 * Units that may follow a number without changing it. A benchmark that grades units says so itself; this list is short on
 * purpose, because a letter after a number is a variable as often as a unit.
 */
const words =
  "units?|points?|degrees?|deg|radians?|rad|feet|foot|ft|inch(?:es)?|in\\.|yards?|miles?|mi|mph|meters?|metres?|cm|mm|km|kilometers?|centimeters?|millimeters?|" +
  "seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|kg|grams?|kilograms?|pounds?|lbs?|ounces?|oz|tons?|liters?|litres?|gallons?|" +
  "dollars?|cents?|euros?|yuan|rupees?|people|students?|apples?|oranges?|books?|ways?|times|square|cubic|sq|per";

const plain = new RegExp(`(?<=[\\d})\\]])\\s*(?:(?:${words})(?![a-zA-Z])\\.?(?:\\s*\\^\\s*\\{?[23]\\}?)?\\s*)+$`, "u");
const inText =
  /(?<=\S)\s*\\(?:text|textbf|textit|textrm|textnormal|mbox|mathrm|hbox)\s*\{([^{}]{0,60})\}\s*(?:\^\s*\{?-?\d\}?)?\s*\.?$/u;

/** A value without the unit behind it. */
export function withoutUnit(text: string): string {
  let rest = text;
  for (let i = 0; i < 3; i++) {
    const next = rest.replace(inText, "").replace(plain, "").trim();
    if (next === rest) break;
    rest = next;
  }
  return rest;
}
