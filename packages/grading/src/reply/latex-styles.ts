import { wordTable } from "@laconic/core/checks";
import { closingBraceAt } from "./boxes.ts";

/** Commands by what they take and show. */
const commands = {
  /** Take nothing and show nothing. */
  declaration:
    "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge displaystyle textstyle scriptstyle " +
    "scriptscriptstyle bf it rm sf tt sl sc em bfseries itshape rmfamily sffamily ttfamily normalfont boldmath limits nolimits " +
    "hfill hfil vfill noindent centering strut bigl bigr Bigl Bigr big Big bigg Bigg biggl biggr Biggl Biggr middle " +
    "blacksquare qed qedsymbol checkmark bigstar blacktriangle blacklozenge square Box",
  /** The size of a bracket. A full stop behind it is an invisible bracket. */
  fence: "left right",
  /** Show their argument: `\underline{37}`. */
  wrapper: "underline uline uuline uwave underbar smash ensuremath hl ul",
  /** Show their argument in a mathematical alphabet, in which a word is text: `\mathrm{cm}`. */
  alphabet: "mathrm mathit mathsf mathtt mathnormal mathup",
  /** The same in bold, which marks unit vectors: `\mathbf{i}`. */
  bold: "mathbf boldsymbol bm pmb bold",
  /** Show their argument as text: `\textbf{37}`. */
  text: "text textbf textit textrm textsf texttt textsc textsl textup textmd textnormal emph mbox hbox",
  /** Take a colour. */
  colour: "color",
  /** Take a colour and show their argument: `\textcolor{red}{37}`. */
  coloured: "textcolor colorbox",
  /** Take two colours and show their argument. */
  framed: "fcolorbox",
  /** Take an argument that is not part of the answer: `\tag{1}`. */
  hidden: "tag label vspace phantom hphantom vphantom sout st cancel bcancel xcancel footnote",
};
type Style = keyof typeof commands;
const styles: Readonly<Record<string, Style>> = wordTable(
  Object.fromEntries(
    Object.entries(commands).flatMap(([style, names]) => names.split(" ").map((name) => [name, style as Style])),
  ),
);

/** Deeper groups keep their commands. */
const deepest = 100;
const command = /\\(?:([a-zA-Z]+)\*?|[^a-zA-Z])/gsu;
const colours = String.raw`(?:\s*(?:\[[a-zA-Z]{1,10}\]\s*)?\{[^{}]{1,40}\})`;
/** What a command hides behind it. */
const hiddenBehind: Readonly<Partial<Record<Style, string>>> = {
  fence: String.raw`(?:\s*\.)?`,
  colour: `${colours}?`,
  coloured: `${colours}?`,
  framed: `${colours}{0,2}`,
};
const withoutArgument: ReadonlySet<string> = new Set<Style>(["declaration", "fence", "colour"]);
/** Behind a command what is not shown, and the brace in front of what is. */
const openings = Object.fromEntries(
  (Object.keys(commands) as Style[]).map((style) => {
    const brace = withoutArgument.has(style) ? "" : String.raw`(?<brace>\s*\{)?`;
    return [style, new RegExp(`${hiddenBehind[style] ?? ""}${brace}`, "uy")];
  }),
) as Readonly<Record<Style, RegExp>>;

/** A text without the LaTeX commands that change its look, at any depth. Text commands become `\text{...}`. */
export function withoutStyles(text: string, depth = 0): string {
  if (!text.includes("\\") || depth > deepest) return text;
  let shown = "";
  let read = 0;
  for (const { 0: token, 1: name = "", index } of text.matchAll(command)) {
    const style = styles[name];
    if (index < read || style === undefined) continue;
    shown += text.slice(read, index);
    const opening = openings[style];
    opening.lastIndex = index + token.length;
    const { brace } = opening.exec(text)?.groups ?? {};
    const start = opening.lastIndex;
    if (brace === undefined) {
      // A letter behind a command is not part of its name.
      shown += style !== "fence" && /[a-zA-Z]/u.test(text[start] ?? "") ? " " : "";
      read = start;
      continue;
    }
    // A group that never closes shows what it holds.
    const close = closingBraceAt(text, start);
    const content = withoutStyles(text.slice(start, close === -1 ? text.length : close), depth + 1);
    shown += shownAs(style, content, shown.slice(-20));
    read = close === -1 ? text.length : close + 1;
  }
  return shown + text.slice(read);
}

/** Two letters and what units are written with. */
const word = /^(?:[\s.\-/^{}\d\p{L}]|\\(?:[,;: ]|cdot(?![a-zA-Z])))*$/u;
const twoLetters = /\p{L}(?:[^\p{L}]|\\cdot)*\p{L}/u;
/** In front of the argument of a power, an index or a command, which needs its braces. */
const braced = /[\^_]\s*$|\\[a-zA-Z]+\s*$/u;
/** A number and a space, behind which a letter is a unit. */
const measured = /[\d})]\s*(?:\\[,;: ]|~)\s*$/u;

function shownAs(style: Style, content: string, before: string): string {
  if (style === "hidden") return " ";
  const isWord = word.test(content) && twoLetters.test(content);
  const isUnit = style === "alphabet" && measured.test(before) && /^\s*[A-Zgms]\s*$/u.test(content);
  const isText = style === "text" ? !/^\s*[-+]?\d[\d.,]*\s*$/u.test(content) : style !== "wrapper" && isWord;
  if (style === "bold" && /^\s*[ijk]\s*$/u.test(content)) return `\\mathbf{${content}}`;
  if (isText || isUnit) return style === "text" && content.startsWith("\\text{") ? content : `\\text{${content}}`;
  return braced.test(before) ? `{${content}}` : content;
}
