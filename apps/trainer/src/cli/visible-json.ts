import { visibleText } from "@laconic/core/text";

/** Escapes all characters that {@link visibleText} would replace. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[^\n -~]/gu, (character) =>
    visibleText(character) === character ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
