// Tables of measured numbers in Markdown pages. A block between two comments defines a table by rows of a file:
//
//   <!-- rows: docs/results/queue.jsonl
//   where: world = relay
//   by: arm, lag
//   row: | {arm} | {mean accuracy * 100 1} |
//   -->
//   | arm | accuracy, % |
//   | --- | --- |
//   <!-- /rows -->
//
// Each group of rows with equal `by` fields gives one line, in file order. `{OF PATH [/ PATH] [* FACTOR] DIGITS}` is a number:
// OF is mean, last, list (each row, then the mean) or spread (mean, then minimum and maximum). `{PATH}` is a field.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const block = /<!-- rows: (\S+)\n([^]*?)-->\n\n?([^]*?)\n?<!-- \/rows -->/gu;
const numberForm = /^(mean|last|list|spread) (\S+)(?: \/ (\S+))?(?: \* (\S+))? (\d)$/u;

const valueAt = (row, path) => path.split(".").reduce((value, key) => value?.[key], row);

function readRows(file) {
  const text = readFileSync(join(root, file), "utf8").trim();
  return file.endsWith(".jsonl") ? text.split("\n").map((line) => JSON.parse(line)) : JSON.parse(text);
}

function settingsOf(text) {
  const settings = Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => /^(where|by|row): (.*)$/u.exec(line)?.slice(1) ?? [line, ""]),
  );
  const unknown = Object.keys(settings).filter((key) => !["where", "by", "row"].includes(key));
  if (unknown.length > 0 || !settings.row) throw new Error(`expected where, by and row, got "${text.trim()}"`);
  const list = (value = "") => value.split(", ").filter((entry) => entry !== "");
  const where = list(settings.where).map((entry) => entry.split(" = "));
  return { where, by: list(settings.by), row: settings.row };
}

/** Rounds half up: 0.865 becomes 0.87, although the nearest double is below it. */
const rounded = (value, digits) => (value + Math.sign(value) * 1e-9).toFixed(digits).replace(/^-(0(?:\.0+)?)$/u, "$1");

function numberText(rows, [, kind, path, divisor, factor = "1", digits], file) {
  const values = rows
    .map((row) => (valueAt(row, path) / (divisor ? valueAt(row, divisor) : 1)) * Number(factor))
    .filter((value) => kind !== "last" || Number.isFinite(value));
  if (values.length === 0 || !values.every((value) => Number.isFinite(value)))
    throw new Error(`${file}: no number at ${path}`);
  const text = (value) => rounded(value, Number(digits));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (kind === "mean") return text(mean);
  if (kind === "last") return text(values.at(-1));
  if (kind === "list") return values.length > 1 ? `${values.map(text).join(", ")}: ${text(mean)}` : text(mean);
  const [least, most] = [text(Math.min(...values)), text(Math.max(...values))];
  return least === most ? least : `${text(mean)} (${least} to ${most})`;
}

function lineOf(rows, template, file) {
  return template.replaceAll(/\{([^}]+)\}/gu, (_, expression) => {
    const form = numberForm.exec(expression);
    if (form) return numberText(rows, form, file);
    const value = valueAt(rows[0], expression);
    if (value === undefined) throw new Error(`${file}: no field ${expression}`);
    return String(value);
  });
}

function linesOf(file, settings) {
  const { where, by, row } = settingsOf(settings);
  const chosen = readRows(file).filter((entry) =>
    where.every(([path, value]) => String(valueAt(entry, path)) === value),
  );
  if (chosen.length === 0) throw new Error(`${file}: no row where ${JSON.stringify(where)}`);
  const groups = new Map();
  for (const entry of chosen) {
    const key = JSON.stringify(by.map((path) => valueAt(entry, path)));
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].map((rows) => lineOf(rows, row, file));
}

export function withTables(page) {
  return page.replaceAll(block, (_, file, settings, table) => {
    const head = table.split("\n").slice(0, 2);
    const lines = [...head, ...linesOf(file, settings)].join("\n");
    return `<!-- rows: ${file}\n${settings}-->\n\n${lines}\n\n<!-- /rows -->`;
  });
}
