import { visibleText } from "@laconic/core/text";

/** Text size of drawings in CSS pixels at scale 1. */
export const fontSize: number = 13;

/** Line height, including ascent and descent. */
export const lineHeight: number = Math.ceil(fontSize * 1.25);

/** Upper estimate of a line's width: the reader's font is unknown. */
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

/** Cuts a line to the width with an ellipsis, after making hidden characters visible. */
export function fitTo(given: string, width: number, size: number = fontSize): string {
  const text = visibleText(given);
  if (textWidth(text, size) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

export function linesOf(text: string, width: number, size: number = fontSize): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/u)) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitTo(word, width, size));
  }
  return lines;
}
