import { visibleText } from "./visible-text.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text for an HTML or SVG text node or quoted attribute, with what hides text from a reader made visible ({@link visibleText}).
 * Everything a model or a configuration wrote passes through here.
 */
export function escapeHtml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}
