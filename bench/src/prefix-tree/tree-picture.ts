/** A run of tokens that `lines` sequences begin with, as a block of a picture: from place `from` to `to` of each. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** The first of its sequences, in the order of the tree. */
  readonly line: number;
  readonly lines: number;
}

/** The prefix tree of an update, to be drawn. */
export interface TreePicture {
  readonly title: string;
  readonly sequences: number;
  /** With and without what is shared counted once. */
  readonly tokens: number;
  readonly rows: number;
  readonly blocks: readonly Block[];
}

const margin = 14;
const lineHeight = 7;

/**
 * An SVG file: every sequence is a line, from its first token to its last, and a block is passed once for all the lines that it covers.
 * @param colours - the style of the variables `--panel`, `--ink`, `--soft`, `--c1` and `--c2`, for light and dark
 */
export function treePicture(picture: TreePicture, width: number, colours: string): string {
  const { title, sequences, tokens, rows, blocks } = picture;
  const isNarrow = width < 500;
  const longest = Math.max(...blocks.map(({ to }) => to));
  const scale = (width - 2 * margin) / longest;
  const top = isNarrow ? 114 : 76;
  const bottom = top + sequences * lineHeight;
  const height = bottom + 40;
  const x = (place: number): string => (margin + place * scale).toFixed(1);
  const text = (at: number, y: number, words: string, more = ""): string =>
    `<text x="${at}" y="${y}" font-size="13" fill="var(--soft)"${more}>${words}</text>`;
  const key = (at: number, y: number, lines: number, words: string): string =>
    `<rect x="${at}" y="${y - 10}" width="16" height="11" ${fillOf(lines)}/>${text(at + 22, y, words)}`;
  const shapes = blocks.map(
    ({ from, to, line, lines }) =>
      `<rect x="${x(from)}" y="${top + line * lineHeight + 0.5}" width="${Math.max(0.5, (to - from) * scale - 0.5).toFixed(1)}" height="${lines * lineHeight - 1}" ${fillOf(lines)}/>`,
  );
  const ticks = Array.from({ length: Math.floor(longest / 50) + 1 }, (_, i) => 50 * i);
  const said = [`${sequences} sequences of ${count(tokens)} tokens,`, `passed in ${count(rows)} rows.`];
  const words = said.join(" ");
  return [
    `<svg viewBox="0 0 ${width} ${height}" xmlns="http://www.w3.org/2000/svg" font-family="system-ui,sans-serif" role="img" aria-labelledby="tree-t tree-d">`,
    `<title id="tree-t">${title}</title><desc id="tree-d">${words} Each line is a sequence; a block is passed once for all the lines that it covers.</desc>`,
    `<style>${colours}</style><rect width="100%" height="100%" rx="10" fill="var(--panel)"/>`,
    `<text x="${margin}" y="26" font-size="${isNarrow ? 12 : 15}" font-weight="600" fill="var(--ink)">${title}</text>`,
    ...(isNarrow ? said : [words]).map((part, i) => text(margin, 46 + 18 * i, part)),
    key(margin, isNarrow ? 84 : 66, 2, "passed once for several"),
    isNarrow ? key(margin, 104, 1, "of one sequence alone") : key(margin + 220, 66, 1, "of one sequence alone"),
    ...shapes,
    ...ticks.map((place) => text(Number(x(place)), bottom + 16, String(place), ` text-anchor="middle"`)),
    text(width - margin, bottom + 32, "tokens into the sequence", ` text-anchor="end"`),
    "</svg>\n",
  ].join("\n");
}

function fillOf(lines: number): string {
  return lines > 1 ? `fill="var(--c1)"` : `fill="var(--c2)"`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
