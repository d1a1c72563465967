import { splitTop } from "./split-top.ts";

/** Rows of entries in LaTeX. */
type Entries = readonly (readonly string[])[];

/** Rows, columns, matrices and characters beyond which a calculation is left alone. */
const maxRows = 8;
const maxMatrices = 8;
const longestEntry = 400;

const block = /\\begin\{([pb]?matrix|smallmatrix|array)\}\s*(?:\{[lcr|\s]*\})?((?:(?!\\begin|\\end)[^])*)\\end\{\1\}/gu;

/**
 * The entries of a sum or product of matrices and numbers, such as `\frac12 A B - C`, as expressions.
 * @returns null where it is no such calculation, or its matrices do not fit
 */
export function calculatedEntries(text: string): Entries | null {
  const blocks = [...text.matchAll(block)];
  if (blocks.length === 0 || blocks.length > maxMatrices) return null;
  const terms = signedTerms(text).map(({ sign, text: each }) => {
    const entries = termEntries(each);
    return entries && (sign === "-" ? mapped(entries, (entry) => `-(${entry})`) : entries);
  });
  let sum: Entries | null = terms[0] ?? null;
  for (const term of terms.slice(1)) sum = sum && term && added(sum, term);
  return sum && sum.flat().every((entry) => entry.length <= longestEntry) ? sum : null;
}

/** A plus or minus that begins a text or follows an operator is a factor's sign. */
function signedTerms(text: string): readonly { readonly sign: string; readonly text: string }[] {
  const terms: { sign: string; text: string }[] = [];
  for (const { text: piece, separator } of splitTop(text, /[+-]/u)) {
    const last = terms.at(-1);
    const before = last?.text.trim() ?? "";
    if (last && (before === "" || /(?:\\cdot|\\times|\*|\^)$/u.test(before))) {
      if (before === "") last.sign = last.sign === separator ? "+" : "-";
      else last.text += separator;
      last.text += piece;
    } else terms.push({ sign: separator === "-" ? "-" : "+", text: piece });
  }
  return terms;
}

function termEntries(text: string): Entries | null {
  let product: Entries | null = null;
  let factor: string = "";
  let at: number = 0;
  for (const match of text.matchAll(block)) {
    const between = factorIn(text.slice(at, match.index));
    const rows = rowsIn(match[2] as string);
    if (between === null || !rows) return null;
    factor += between;
    product = product ? multiplied(product, rows) : rows;
    if (!product) return null;
    at = match.index + match[0].length;
  }
  const rest = factorIn(text.slice(at));
  if (!product || rest === null) return null;
  factor += rest;
  return factor === "" ? product : mapped(product, (entry) => `${factor}(${entry})`);
}

/** What stands between matrices: a number, or a sign of multiplication. Powers, transposes and quotients are none. */
function factorIn(text: string): string | null {
  const bare = text.replaceAll(/^\s*(?:\\cdot|\\times|\*)|(?:\\cdot|\\times|\*)\s*$/gu, "").trim();
  if (bare === "") return "";
  if (/^[\^_'!/)\]}]|\\begin|\\end|[=<>&,;]|\\\\/u.test(bare) || /[/^_]$/u.test(bare)) return null;
  let depth = 0;
  for (const char of bare) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char) && --depth < 0) return null;
  }
  return depth === 0 ? `(${bare})` : null;
}

function rowsIn(inner: string): Entries | null {
  const rows = splitTop(inner, /\\\\|\\cr(?![a-z])/u)
    .filter(({ text }) => text.trim() !== "")
    .map(({ text }) => splitTop(text, /&/u).map((cell) => cell.text.trim()));
  const width = rows[0]?.length ?? 0;
  const fits = rows.length > 0 && rows.length <= maxRows && width <= maxRows;
  return fits && rows.every((row) => row.length === width && !row.includes("")) ? rows : null;
}

function mapped(entries: Entries, apply: (entry: string) => string): Entries {
  return entries.map((row) => row.map((entry) => apply(entry)));
}

function added(a: Entries, b: Entries): Entries | null {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return null;
  return a.map((row, i) => row.map((entry, j) => `${entry}+(${b[i]?.[j] as string})`));
}

function multiplied(a: Entries, b: Entries): Entries | null {
  if (a[0]?.length !== b.length) return null;
  return a.map((row) =>
    (b[0] as readonly string[]).map((_, j) => row.map((entry, k) => `(${entry})(${b[k]?.[j] as string})`).join("+")),
  );
}
