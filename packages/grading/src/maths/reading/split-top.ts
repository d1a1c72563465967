/** Piece after a separator. */
export interface Piece {
  readonly text: string;
  readonly separator: string;
}

/** Splits outside brackets and environments. All brackets are one kind, because half-open intervals mix them. */
export function splitTop(text: string, separator: RegExp): Piece[] {
  const sticky = new RegExp(separator.source, `${separator.flags.replaceAll(/[gy]/gu, "")}y`);
  const pieces: Piece[] = [];
  let start = 0;
  let depth = 0;
  let before = "";
  for (let index = 0; index < text.length;) {
    if (depth <= 0) {
      sticky.lastIndex = index;
      const match = sticky.exec(text)?.[0];
      if (match) {
        pieces.push({ text: text.slice(start, index), separator: before });
        index += match.length;
        [start, before] = [index, match];
        continue;
      }
    }
    const [step, change] = stepAt(text, index);
    depth = Math.max(0, depth + change);
    index += step;
  }
  pieces.push({ text: text.slice(start), separator: before });
  return pieces;
}

const environment = /\\(begin|end)\{[a-zA-Z]{1,20}\*?\}/uy;

function stepAt(text: string, index: number): readonly [step: number, change: number] {
  const char = text[index]!;
  if (char === "\\") {
    environment.lastIndex = index;
    const edge = environment.exec(text);
    if (edge) return [edge[0].length, edge[1] === "begin" ? 1 : -1];
    const next = text[index + 1] ?? "";
    if (next === "{") return [2, 1];
    if (next === "}") return [2, -1];
    const name = /\\[a-zA-Z]+|\\./uy;
    name.lastIndex = index;
    return [name.exec(text)?.[0].length ?? 1, 0];
  }
  if ("([{".includes(char)) return [1, 1];
  if (")]}".includes(char)) return [1, -1];
  return [1, 0];
}

/** Closing position of a bracket; -1 if missing. */
export function closingAt(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length;) {
    const [step, change] = stepAt(text, index);
    depth += change;
    index += step;
    if (depth <= 0) return index;
  }
  return -1;
}
