import { wordTable } from "@laconic/core";

/** What a style command takes and shows. */
type Style =
  /** Takes nothing and shows nothing: `\large`. */
  | "declaration"
  /** A bracket's size: `\left`. A full stop behind it is an invisible bracket. */
  | "fence"
  /** Shows its argument: `\underline{37}`. */
  | "wrapper"
  /** Shows its argument in a mathematical alphabet, in which a word is text: `\mathrm{cm}`. */
  | "alphabet"
  /** The same in bold, which marks unit vectors: `\mathbf{i}`. */
  | "bold"
  /** Shows its argument as text: `\textbf{37}`. */
  | "text"
  /** Takes a colour: `\color{blue}`. */
  | "colour"
  /** Takes a colour and shows its argument: `\textcolor{red}{37}`. */
  | "coloured"
  /** Takes two colours and shows its argument. */
  | "framed"
  /** Takes an argument that is not part of the answer: `\tag{1}`. */
  | "hidden";

const commands: Readonly<Record<Style, string>> = {
  declaration:
    "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge displaystyle textstyle scriptstyle " +
    "scriptscriptstyle bf it rm sf tt sl sc em bfseries itshape rmfamily sffamily ttfamily normalfont boldmath limits nolimits " +
    "hfill hfil vfill noindent centering strut bigl bigr Bigl Bigr big Big bigg Bigg biggl biggr Biggl Biggr middle " +
    "blacksquare qed qedsymbol checkmark bigstar blacktriangle blacklozenge square Box",
  fence: "left right",
  wrapper: "underline uline uuline uwave underbar smash ensuremath hl ul",
  alphabet: "mathrm mathit mathsf mathtt mathnormal mathup",
  bold: "mathbf boldsymbol bm pmb bold",
  text: "text textbf textit textrm textsf texttt textsc textsl textup textmd textnormal emph mbox hbox",
  colour: "color",
  coloured: "textcolor colorbox",
  framed: "fcolorbox",
  hidden: "tag label vspace phantom hphantom vphantom sout st cancel bcancel xcancel footnote",
};
const styles: Readonly<Record<string, Style>> = wordTable(
  Object.fromEntries(
    Object.entries(commands).flatMap(([style, names]) => names.split(" ").map((name) => [name, style as Style])),
  ),
);

/** Deeper groups keep their commands. */
const deepest = 100;
const piece = /\\([a-zA-Z]+)\*?|\\[^a-zA-Z]|[{}]|[^\\{}]+|\\/gsu;
const colour = /\s*(?:\[[a-zA-Z]{1,10}\]\s*)?\{[^{}]{1,40}\}/uy;
/** Colours in front of what is shown. */
const coloursOf: Readonly<Partial<Record<Style, number>>> = { colour: 1, coloured: 1, framed: 2 };
const opening = /\s*\{/uy;

/** A group that is open: the style it belongs to, and where its content begins among the parts. */
interface Group {
  readonly style: Style | null;
  readonly start: number;
  /** It stands behind a number and a space, where a letter is a unit. */
  readonly measured: boolean;
  /** It is the argument of a power, an index or a command, and needs its braces. */
  readonly braced: boolean;
}

/**
 * A text without the LaTeX commands that change its look, at any depth. Text commands become `\text{...}`. One pass.
 */
export function withoutStyles(text: string): string {
  if (!text.includes("\\")) return text;
  const parts: string[] = [];
  const groups: Group[] = [];
  piece.lastIndex = 0;
  for (let match = piece.exec(text); match; match = piece.exec(text)) {
    const [token, name] = match;
    const style = name === undefined ? undefined : styles[name];
    if (token === "{") groups.push({ style: null, start: parts.push(token), measured: false, braced: false });
    else if (token === "}") close(parts, groups.pop());
    else if (style === undefined || groups.length > deepest) parts.push(token);
    else piece.lastIndex = open(style, text, piece.lastIndex, parts, groups);
  }
  // A group that never closes shows what it holds.
  while (groups.some(({ style }) => style !== null)) {
    const group = groups.pop() as Group;
    if (group.style !== null) close(parts, group);
  }
  return parts.join("");
}

/** Begins a command's group. @returns where the text continues */
function open(style: Style, text: string, from: number, parts: string[], groups: Group[]): number {
  let end = from;
  if (style === "fence") return from + (/^\s*\./u.exec(text.slice(from, from + 5))?.[0].length ?? 0);
  for (let colours = coloursOf[style] ?? 0; colours > 0; colours--) {
    colour.lastIndex = end;
    end += colour.exec(text)?.[0].length ?? 0;
  }
  opening.lastIndex = end;
  const brace = style === "declaration" ? null : opening.exec(text);
  // A letter behind a command is not part of its name.
  if (!brace || style === "colour") parts.push(/[a-zA-Z]/u.test(text[end] ?? "") ? " " : "");
  else {
    const before = parts.slice(-3).join("").slice(-20);
    const braced = /[\^_]\s*$|\\[a-zA-Z]+\s*$/u.test(before);
    const measured = /[\d})]\s*(?:\\[,;: ]|~)\s*$/u.test(before);
    groups.push({ style, start: parts.length, measured, braced });
    end += brace[0].length;
  }
  return end;
}

function close(parts: string[], group: Group | undefined): void {
  if (!group || group.style === null) {
    parts.push("}");
    return;
  }
  const content = parts.splice(group.start).join("");
  const shown = shownAs(group, content);
  parts.push(group.braced && !shown.startsWith("\\text{") ? `{${shown}}` : shown);
}

/** Two letters and what units are written with. */
const word = /^(?:[\s.\-/^{}\d\p{L}]|\\(?:[,;: ]|cdot(?![a-zA-Z])))*$/u;
const twoLetters = /\p{L}(?:[^\p{L}]|\\cdot)*\p{L}/u;

function shownAs({ style, measured }: Group, content: string): string {
  if (style === "hidden") return " ";
  if (style === "text" && /^\s*[-+]?\d[\d.,]*\s*$/u.test(content)) return content;
  if (style === "text") return content.startsWith("\\text{") ? content : `\\text{${content}}`;
  if (style === "bold" && /^\s*[ijk]\s*$/u.test(content)) return `\\mathbf{${content}}`;
  const isWord = word.test(content) && twoLetters.test(content);
  const isUnit = style === "alphabet" && measured && /^\s*[A-Zgms]\s*$/u.test(content);
  return (style === "alphabet" || style === "bold") && (isWord || isUnit) ? `\\text{${content}}` : content;
}
