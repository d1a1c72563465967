import { visibleText } from "@laconic/core/text";

/** Size of all text in drawings, in their own units, which are CSS pixels at scale 1. */
export const fontSize: number = 13;

/** A line's height, with what ascends and descends. */
export const lineHeight: number = Math.ceil(fontSize * 1.25);

/** Width of a line, on the wide side: nobody can measure the reader's font here. */
export function textWidth(text: string, size: number = fontSize): number {
  let ems = 0;
  for (const character of text) ems += widthOf(character);
  return ems * size;
}

function widthOf(character: string): number {
  if (/[ .,:;|!'()ijlIft[\]]/u.test(character)) return 0.42;
  if (/[MWmw%@→×]/u.test(character)) return 0.98;
  if (character.codePointAt(0)! > 0x2e80) return 1.1;
  return /[A-Z]/u.test(character) ? 0.72 : 0.645;
}

/** As much of a line as has room, with an ellipsis where some is left out; what hides text is made visible first. */
export function fitTo(given: string, width: number, size: number = fontSize): string {
  const text = visibleText(given);
  if (textWidth(text, size) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** Lines of whole words, each with room. */
export function linesOf(text: string, width: number, size: number = fontSize): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/u)) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitTo(word, width, size));
  }
  return lines;
}
