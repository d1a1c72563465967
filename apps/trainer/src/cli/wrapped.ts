import { stripVTControlCharacters } from "node:util";

/** Wraps at spaces; longer parts stay whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1)!;
    if (last === "") lines[lines.length - 1] = word;
    else if (lengthOf(last) + 1 + lengthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Wraps lines and indents them below their start or label. JSON and table rows stay unchanged. */
export function fitted(text: string, columns: number): string {
  if (/^[{[]/u.test(text)) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      if (lengthOf(line) <= columns) return [line];
      const label = /^(?: *\S(?:\S| (?! )){0,22} {2,}| *(?:- )?)/u.exec(line)?.[0] ?? "";
      const rest = line.slice(label.length);
      if (/\S {2,}\S.* {2,}\S/u.test(rest)) return [line];
      const indent = " ".repeat(lengthOf(label));
      return wrapped(rest, Math.max(20, columns - indent.length)).map((item, i) => (i === 0 ? label : indent) + item);
    })
    .join("\n");
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
