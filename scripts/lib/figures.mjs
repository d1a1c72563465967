import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");
const at = (row, path) =>
  path.split(".").reduce((value, key) => (value === null || value === undefined ? undefined : value[key]), row);

/** Pages that a test writes or holds to the code in whole: their numbers are checked there. */
const written = {
  "docs/metric-names.md": "test/docs.test.ts",
  "docs/sampling-parameters.md": "test/docs.test.ts",
  "docs/protocol-list.md": "test/docs.test.ts",
  "docs/reproduce/ledger.md": "test/reproduction-ledger.test.ts",
  "docs/grader-board.md": "bench/src/graders/grader-board-page.ts",
  "docs/grader-labels.md": "bench/src/graders/public-graders.ts",
  "docs/gallery.md": "test/gallery.test.ts",
  "docs/results/servers.md": "test/servers-page.test.ts",
};
const writtenFolders = { "docs/errors/": "test/error-pages.test.ts", "docs/data/": "test/benchmark-docs.test.ts" };

export const readFigureList = () => JSON.parse(read("docs/figures.json"));

function rowsOf(file) {
  const text = read(file).trim();
  return file.endsWith(".jsonl") ? text.split("\n").map((line) => JSON.parse(line)) : JSON.parse(text);
}

const patternOf = (expected) => typeof expected === "string" && /^\/.*\/$/u.exec(expected);
const fits = (value, expected) =>
  patternOf(expected)
    ? typeof value === "string" && new RegExp(expected.slice(1, -1), "u").test(value)
    : value === expected;

/** Of several paths, with a bar between them, the mean. */
function valuesOf(rows, path, divisor, factor) {
  return rows.map((row) => {
    const parts = path.split("|").map((each) => at(row, each));
    const value = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    return (value / (divisor ? at(row, divisor) : 1)) * factor;
  });
}

function shown(rows, show, where) {
  const [, of, path, divisor, factor = "1", digits] =
    /^(mean|sd|last|list|spread) (.+?)(?: \/ (.+?))?(?: \* (\S+))? (\d)$/u.exec(show) ?? [];
  if (!of) throw new Error(`${where}: "${show}" is not "OF PATH [/ PATH] [* NUMBER] DIGITS"`);
  const found = valuesOf(rows, path, divisor, Number(factor));
  // The newest measurement is the last row that has the field: rows of another side lack it.
  const values = of === "last" ? found.filter((value) => Number.isFinite(value)).slice(-1) : found;
  if (values.length === 0 || !values.every((value) => Number.isFinite(value)))
    throw new Error(`${where} has no number at ${path}`);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  // Half up on the decimal number: 0.865 in a file is 0.87, although the nearest double lies below it.
  const text = (value) => (value + Math.sign(value) * 1e-9).toFixed(Number(digits)).replace(/^-(0(?:\.0+)?)$/u, "$1");
  if (of === "mean" || of === "last") return text(mean);
  const [least, most] = [text(Math.min(...values)), text(Math.max(...values))];
  if (of === "spread") return least === most ? least : `${text(mean)} (${least} to ${most})`;
  if (of === "list") return `${values.map(text).join(", ")}: ${text(mean)}`;
  return text(Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)));
}

export function renderFigure({ text, file, rows = [], show = [], figures: listed }) {
  const all = rowsOf(file);
  const wantedFigures = listed ?? rows.flatMap((row) => show.map((each) => ({ row, show: each })));
  const figures = wantedFigures.map(({ row: wanted, show: each }) => {
    const where = `${file} ${JSON.stringify(wanted)}`;
    const chosen = all.filter((row) => Object.entries(wanted).every(([path, value]) => fits(at(row, path), value)));
    if (chosen.length === 0) throw new Error(`${where} selects no row`);
    return shown(chosen, each, where);
  });
  const parts = text.split("{}");
  if (parts.length !== figures.length + 1)
    throw new Error(`"${text}" has ${parts.length - 1} places for ${figures.length} figures`);
  return parts.map((part, i) => part + (figures[i] ?? "")).join("");
}

function pages() {
  const listed = execFileSync(
    "git",
    ["ls-files", "-z", "README.md", "docs/*.md", "packages/*/README.md", "apps/*/README.md"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return listed.split("\0").filter((page) => page !== "" && !/^docs\/(?:api-reports|decisions)\//u.test(page));
}

/** Code, links' targets, tags and names with digits in them are no figures; what is left keeps its place in the line. */
const bare = (line) => line.replaceAll(/`[^`]*`|\]\([^)]*\)|https?:\S+|<[^>]*>/gu, (match) => " ".repeat(match.length));
const numbers = /(?<![\w.#@/-])[−-]?\d[\d,]*(?:\.\d+)?(?![\w]*[A-Za-z]\d)/gu;

function reasonFor(list, page, header) {
  const folder = Object.entries(writtenFolders).find(([prefix]) => page.startsWith(prefix));
  const constant = list.constants.find((each) => each.page === page && (each.header ?? header) === header);
  return written[page] ?? folder?.[1] ?? constant?.reason ?? null;
}

/** Which part of the line a source accounts for. */
function spanOf({ text, file }, line) {
  const pattern = text.split("{}").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  const match = new RegExp(pattern.join("[^|]*?"), "u").exec(line);
  return match ? [{ file, start: match.index, end: match.index + match[0].length }] : [];
}

export function everyFigure(list) {
  return pages().flatMap((page) => {
    const sources = list.sources.filter((source) => source.page === page);
    const lines = read(page).split("\n");
    let fenced = false;
    let header = null;
    return lines.flatMap((line, index) => {
      if (line.startsWith("```")) fenced = !fenced;
      if (fenced || line.startsWith("```")) return [];
      const table = line.startsWith("|");
      if (!table) header = null;
      else header ??= line;
      const spans = sources.flatMap((source) => spanOf(source, line));
      const reason = reasonFor(list, page, header);
      return [...bare(line).matchAll(numbers)].map((match) => {
        const span = spans.find(({ start, end }) => start <= match.index && match.index < end);
        return { page, line: index + 1, table, figure: match[0], why: span?.file ?? reason };
      });
    });
  });
}
