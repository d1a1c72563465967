import { visibleText } from "@laconic/core/text";

/** JSON that a terminal shows as it is: what {@link visibleText} would replace is escaped, and reads back as it was. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[^\n -~]/gu, (character) =>
    visibleText(character) === character ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
