import { typedToLatex } from "./typed-maths.ts";

const commands =
  "× times ÷ div · cdot ⋅ cdot π pi ∞ infty ≤ leq ≥ geq ≠ neq ≈ approx ∪ cup ∩ cap ∈ in ± pm √ sqrt ∅ emptyset θ theta α alpha β beta";
const signs: ReadonlyMap<string, string> = new Map([
  ...[...commands.matchAll(/(\S) (\w+)/gu)].map(([, sign = "", name = ""]) => [sign, `\\${name} `] as const),
  ..."\u2212\u2013".split("").map((dash) => [dash, "-"] as const),
  ..."\u00a0\u202f\u2009".split("").map((space) => [space, " "] as const),
  ..."\u2044\u2215".split("").map((slash) => [slash, "/"] as const),
  ["\u00b0", "^\\circ "],
  ["\u00a2", "\\text{ cents}"],
  ["\u2032", "'"],
  ["\u211d", "\\mathbb{R}"],
  ["\u221b", "\\sqrt[3]"],
]);
const sign = new RegExp(`[${[...signs.keys()].join("")}]`, "gu");
/** `½` */
const fraction = /[\u00bc-\u00be\u2150-\u215e]/gu;

/** Linear in length. */
const rewrites: readonly (readonly [RegExp, string])[] = [
  [/\\colon(?![a-zA-Z])/gu, ":"],
  [
    /(?<=\\mathbb\s*\{?\s*R\s*\}?)\s*(?:-|\\backslash(?![a-zA-Z])|\\!?smallsetminus(?![a-zA-Z]))\s*(?=\\\{|\\lbrace)/gu,
    "\\setminus ",
  ],
  [/\\langle(?![a-zA-Z])/gu, "("],
  [/\\rangle(?![a-zA-Z])/gu, ")"],
  [/\{([^{}]{1,60})\\choose(?![a-zA-Z])([^{}]{1,60})\}/gu, "\\binom{$1}{$2}"],
  [/\{((?:[^{}]|\{[^{}]{1,40}\}){1,60}?)\\over(?![a-zA-Z])((?:[^{}]|\{[^{}]{1,40}\}){1,60}?)\}/gu, "\\frac{$1}{$2}"],
  [/(?:\{\s*\}|\\?\^)?\s*_?\^?\{?(\d{1,4})\}?\s*\\?C_\{?(\d{1,4})\}?/gu, "\\binom{$1}{$2}"],
  [/\^\{?(\d+)\}?\s*\/\s*_\{?(\d+)\}?/gu, "\\frac{$1}{$2}"],
  [/(?<=[\d})]\s*(?:\\[,;: ]|~)\s*)(?:\\text\s*\{\s*([kM])\s*\}\s*)?\\Omega(?![a-zA-Z])/gu, "\\text{$1ohm}"],
  [/(?<!\\)\\[!,;:> ]|~|\\(?:q?quad|thinspace|enspace|hspace\{[^{}]*\})/gu, " "],
  [/\\[dtc]frac(?![a-zA-Z])/gu, "\\frac"],
  [/\\[dt]binom(?![a-zA-Z])/gu, "\\binom"],
  [/\\lt(?![a-zA-Z])/gu, "<"],
  [/\\gt(?![a-zA-Z])/gu, ">"],
  [/\\(?:leqslant|leqq|le)(?![a-zA-Z])|<=|=</gu, "\\leq "],
  [/\\(?:geqslant|geqq|ge)(?![a-zA-Z])|>=/gu, "\\geq "],
  [/\\ne(?![a-zA-Z])|!=|\\not\s*=/gu, "\\neq "],
  [/\\(?:thickapprox|simeq)(?![a-zA-Z])/gu, "\\approx "],
  [/\\(?:lbrace)(?![a-zA-Z])/gu, "\\{"],
  [/\\(?:rbrace)(?![a-zA-Z])/gu, "\\}"],
  [/\\(?:lvert|rvert|vert)(?![a-zA-Z])/gu, "|"],
  [/\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))|\\degrees?(?![a-zA-Z])/gu, "\\degree "],
  // Dollar sums keep their unit unless a number continues.
  [/(?<![\d.])\\\$\s*(\d+(?:,\d{3})*(?:\.\d+)?)(?=\s*(?:$|[;]|,(?!\d)))/gu, "$1\\text{ dollars}"],
  [/\\text\s*\{\s*(?:USD|US)\s*\}\s*(?=\d)/gu, ""],
  [/\\(?:pounds|euro|textdollar)(?![a-zA-Z])|\\\$|[€£¥]/gu, ""],
  [/\\operatorname\*?\s*\{([a-zA-Z]{2,10})\}/gu, "\\$1 "],
  [/\\(?:mathcal|operatorname)\s*\{\s*([a-zA-Z]|[-+]?[\d.,]+)\s*\}/gu, "$1"],
  [/\\ast(?![a-zA-Z])/gu, "*"],
  [/\s+(?=!)/gu, ""],
];

export function normaliseLatex(text: string): string {
  // LaTeX takes one digit.
  const rooted = typedToLatex(text).replaceAll(/([√∛])\s?(\d+(?:\.\d+)?)/gu, "$1{$2}");
  let normal = rooted
    .replaceAll(fraction, (item) => item.normalize("NFKC").replace(/^(\d+)\u2044(\d+)$/u, "\\frac{$1}{$2}"))
    .replaceAll(sign, (item) => signs.get(item) ?? item);
  for (const [pattern, replacement] of rewrites) normal = normal.replace(pattern, replacement);
  // Degrees count in a sine's angle.
  normal = ofAngle.test(normal)
    ? normal.replaceAll(/(?<=[\d)}])\s*(?:\\text\s*\{\s*(?:degrees?|deg)\.?\s*\}|degrees?(?![a-zA-Z]))/gu, "\\degree ")
    : normal.replaceAll(/\\degree(?![a-zA-Z])/gu, "");
  return withoutThousands(unaligned(normal).replaceAll(/\s+/gu, " ").trim());
}

const bracketOrNumber = /\\?[{}]|[()[\]]|(?<![\d.,]|,\s)\d{1,3}(?:,\d{3})+(?!,?\d)/gu;

/** Removes thousands commas, except inside brackets. */
function withoutThousands(text: string): string {
  let depth = 0;
  return text.replaceAll(bracketOrNumber, (piece) => {
    if (/\d/u.test(piece)) return depth > 0 ? piece : piece.replaceAll(",", "");
    // `]0, 1[` opens with the other bracket.
    if (piece.length > 1 || /[()[\]]/u.test(piece)) depth += depth === 0 || /[([{]/u.test(piece) ? 1 : -1;
    return piece;
  });
}

const ofAngle = /(?<![a-zA-Z])\\?(?:sin|cos|tan|cot|sec|csc)(?![a-zA-Z])/u;

/** Lines of `aligned`; leading signs continue the last line. */
function unaligned(text: string): string {
  return text.replaceAll(/\\begin\{((?:align|gather)(?:ed|\*)?)\}(.{0,2000}?)\\end\{\1\}/gsu, (_, __, lines: string) =>
    lines
      .split(/\\\\(?:\[[^\]]*\])?/u)
      .map((line) => line.replaceAll("&", " ").trim())
      .filter((line) => line !== "")
      .reduce(
        (all, line) =>
          all === "" || /^(?:=|<|>|\\(?:leq?|geq?|approx)(?![a-zA-Z]))/u.test(line)
            ? `${all} ${line}`
            : `${all.replace(/,$/u, "")}, ${line}`,
        "",
      ),
  );
}

export function identityOf(text: string): string {
  return text.replaceAll(/(?<!\d)\s+|\s+(?!\d)/gu, "").replace(/[.,;]+$/u, "");
}
