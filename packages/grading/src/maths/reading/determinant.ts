import { splitTop } from "./split-top.ts";

/** Rows of a determinant that is written out: 4 rows have 24 products. */
const maxRows = 4;
const longestEntry = 60;
const bars =
  /\\begin\{vmatrix\}(.{1,600}?)\\end\{vmatrix\}|\\det(?![a-zA-Z])\s*\(?\s*\\begin\{([pb]matrix)\}(.{1,600}?)\\end\{\2\}\s*\)?/gsu;

/** Writes determinants out as sums of products; one that is too large, or not square, stays. */
export function withoutDeterminants(text: string): string {
  if (!/\\det(?![a-zA-Z])|vmatrix/u.test(text)) return text;
  const written = text.replaceAll(bars, (whole: string, plain?: string, _?: string, named?: string) => {
    const rows = splitTop(plain ?? named ?? "", /\\\\/u)
      .map((row) => splitTop(row.text, /&/u).map((entry) => entry.text.trim()))
      .filter((row) => row.some((entry) => entry !== ""));
    const square = rows.length <= maxRows && rows.every((row) => row.length === rows.length);
    const short = rows.flat().every((entry) => entry !== "" && entry.length <= longestEntry && !/[,;=<>]/u.test(entry));
    return square && short && rows.length > 0 ? `(${expanded(rows)})` : whole;
  });
  return written.length <= 6000 ? written : text;
}

/** By the first row (Laplace). */
function expanded(rows: readonly (readonly string[])[]): string {
  const [first = [], ...others] = rows;
  if (rows.length === 1) return `(${first[0]})`;
  return first
    .map((entry, i) => {
      const minor = others.map((row) => row.filter((_, at) => at !== i));
      return `${i % 2 === 0 ? "+" : "-"}(${entry})\\cdot(${expanded(minor)})`;
    })
    .join("");
}
