const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Spells out control and direction characters. */
export function printable(text: string): string {
  return text.replaceAll(hidden, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}
