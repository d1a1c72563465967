/** C0 but for tab and line feed, delete and C1, which XML forbids or terminals obey. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
/** What turns the direction of other text, joins lines or takes no room, and so hides what is said. Joiners stay: scripts need them. */
const deceivers = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

/**
 * Text as a reader must see it: control characters, directional overrides and invisible characters as their code (`⟨U+202E⟩`), half
 * a surrogate pair as U+FFFD. Tabs and line ends stay.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(controls, named)
    .replaceAll(deceivers, named)
    .replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

function named(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

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
