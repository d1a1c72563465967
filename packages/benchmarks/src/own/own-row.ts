import { isRecord, type UnknownRecord, shownValue, type Problem, nearestName, present } from "@laconic/core";
import { exactJson, exactNumber, writeJson, JsonText } from "@laconic/core/json";
import type { Grading } from "@laconic/grading";
import type { RowProblem } from "../data/benchmark.ts";
import type { ReadRow } from "../data/data-row.ts";
import { decimalText } from "../data/decimal-text.ts";
import { type DataColumns, type DataGrading, lettersOf } from "./data-settings.ts";

export function ownRow(row: unknown, grading: DataGrading, columns: DataColumns = {}): ReadRow {
  try {
    const named = isRecord(row) ? row : refuse("the row is not an object with named columns");
    return { problem: problemOf(named, grading, columns) };
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message };
    throw error;
  }
}

class Unreadable extends Error {}

function refuse(reason: string): never {
  throw new Unreadable(reason);
}

function problemOf(row: UnknownRecord, grading: DataGrading, columns: DataColumns): RowProblem {
  const question = required(row, columns.question ?? "question", "question");
  const column = columns.gold ?? "gold";
  const cell = valueAt(row, column);
  const isList = Array.isArray(cell) && cell.length > 0 && cell.every((line) => typeof line === "string");
  const written = grading.kind === "code" && isList ? cell.join("\n") : required(row, column, "gold");
  const choices = optionsOf(row, columns.choices);
  const id = optional(row, columns.id, "id");
  const solution = columns.solution === undefined ? undefined : optional(row, columns.solution, "");
  const entryPoint = grading.kind === "code" ? optional(row, columns.entryPoint, "entry_point") : undefined;
  const read = readGold(written, grading, { question, choices, entryPoint });
  const worked = solution ?? read.solution;
  return {
    question: grading.kind === "code" ? question : question.trim(),
    gold: read.gold,
    grading: read.grading,
    ...present({ choices, solution: worked, id }),
    ...extrasOf(row, columns),
  };
}

function required(row: UnknownRecord, column: string, setting: string): string {
  const value = valueAt(row, column);
  const text = value === undefined ? "" : textOf(value, column);
  return text.trim() === "" ? refuse(missing(row, column, setting)) : text;
}

/** Named columns must exist. */
function optional(row: UnknownRecord, named: string | undefined, usual: string): string | undefined {
  if (named !== undefined) return required(row, named, usual === "entry_point" ? "entryPoint" : usual || "solution");
  const value = valueAt(row, usual);
  return value === undefined || value === "" ? undefined : textOf(value, usual);
}

/** A list, a JSON list, or one cell per option. */
function optionsOf(row: UnknownRecord, columns: DataColumns["choices"]): readonly string[] | undefined {
  if (Array.isArray(columns)) return (columns as readonly string[]).map((column) => required(row, column, "choices"));
  const column = (columns as string | undefined) ?? "choices";
  const value = valueAt(row, column);
  if (value === undefined || value === "")
    return columns === undefined ? undefined : refuse(missing(row, column, "choices"));
  const list = jsonIn(value);
  if (!Array.isArray(list))
    return refuse(
      typeof value === "string"
        ? `${column} is a text, expected a list, such as ["one","two"]`
        : `${column} is an object; name the list in it, as ${partsOf(value, column)}`,
    );
  const texts = list.flatMap((item: unknown) => plainText(item)?.trim() ?? []);
  if (list.length < 2 || list.length > 26 || texts.length < list.length)
    return refuse(`${column} is not a list of 2 to 26 texts`);
  return texts;
}

interface ReadGold {
  readonly gold: string;
  readonly grading: Grading;
  /** Text before a gold in `#### number`. */
  readonly solution?: string;
}

interface GoldRow {
  readonly question: string;
  readonly choices: readonly string[] | undefined;
  readonly entryPoint: string | undefined;
}

/** Refuses golds that no answer can match. */
function readGold(written: string, grading: DataGrading, row: GoldRow): ReadGold {
  if (written.trim() === "") return refuse("the gold is empty");
  switch (grading.kind) {
    case "numeric":
      return numericGold(written);
    case "letter":
      return letterGold(written.trim(), grading, row);
    case "maths": {
      const { tolerance } = grading;
      return { gold: written.trim(), grading: { kind: "maths", ...present({ tolerance }) } };
    }
    case "text":
      return written.includes("####")
        ? refuse("the gold contains ####, the marker of an answer")
        : { gold: written.trim(), grading: { kind: "text", ...(grading.ignoreCase && { ignoreCase: true }) } };
    case "code":
      return codeGold(written, row);
  }
}

function numericGold(written: string): ReadGold {
  const index = written.lastIndexOf("####");
  const [solution, number] = index < 0 ? [null, written] : [written.slice(0, index).trim(), written.slice(index + 4)];
  // Other commas can be decimal points.
  const grouped = /^[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?![\d,])/u.test(number.trim());
  const gold = decimalText(grouped ? number.trim().replaceAll(",", "") : number.trim());
  if (gold !== null) return { gold, grading: { kind: "numeric" }, ...(solution && { solution }) };
  return refuse(
    `the gold ${shownValue(number.trim())} is not a number; fractions, powers and expressions are graded as maths`,
  );
}

function letterGold(
  written: string,
  grading: Extract<DataGrading, { kind: "letter" }>,
  { choices }: GoldRow,
): ReadGold {
  const letters = choices ? lettersOf(choices.length) : grading.letters;
  if (letters === undefined) return refuse("no options; set columns.choices or grading.letters");
  const result = (index: number): ReadGold =>
    index >= 0 && index < letters.length
      ? { gold: letters[index]!, grading: { kind: "letter", letters } }
      : refuse(`the gold ${shownValue(written)} is not among the ${letters.length} options${hintOf(written, grading)}`);
  switch (grading.golds ?? "letter") {
    case "letter":
      return result(written.length === 1 ? letters.indexOf(written.toUpperCase()) : -1);
    case "index":
      return result(/^\d+(?:\.0*)?$/u.test(written) ? Number(written) : -1);
    case "text": {
      const places = (choices ?? []).flatMap((choice, i) => (choice.trim() === written ? [i] : []));
      return places.length > 1 ? refuse(`several options are ${shownValue(written)}`) : result(places[0] ?? -1);
    }
  }
}

function hintOf(written: string, { golds = "letter" }: Extract<DataGrading, { kind: "letter" }>): string {
  if (golds !== "letter") return "";
  return /^\d+$/u.test(written)
    ? "; where golds count options from 0, grading.golds is index"
    : "; where golds are texts of options, grading.golds is text";
}

function codeGold(test: string, { question, entryPoint }: GoldRow): ReadGold {
  if (entryPoint === undefined)
    return refuse("no entry_point; set columns.entryPoint to the column of the function to define");
  if (!/^[A-Za-z_]\w*$/u.test(entryPoint)) return refuse(`${shownValue(entryPoint)} is not the name of a function`);
  // A prose question is not prepended to code.
  const begins = new RegExp(`^[ \\t]*(?:async[ \\t]+)?def[ \\t]+${entryPoint}[ \\t]*\\(`, "mu").test(question);
  const callsItself = !/^def\s+check\s*\(/mu.test(test) || /^check\s*\(/mu.test(test);
  return {
    gold: test,
    grading: {
      kind: "code",
      prompt: begins ? question : "",
      test,
      entryPoint,
      ...(callsItself && { testCallsItself: true }),
    },
  };
}

type Extras = Pick<Problem, "views" | "group" | "metadata">;

function extrasOf(row: UnknownRecord, { views, group, metadata }: DataColumns): Extras {
  const [match, retained] = [viewsIn(row, views), metadataIn(row, metadata)];
  const named = valueAt(row, group ?? "group");
  if (named === undefined && group !== undefined) return refuse(missing(row, group, "group"));
  const reply = named === undefined || named === "" ? undefined : textOf(named, group ?? "group");
  return {
    ...present({ views: match, group: reply, metadata: retained }),
  };
}

/** An object by agent, or a column per agent. */
function viewsIn(row: UnknownRecord, columns: DataColumns["views"]): Extras["views"] {
  const apart = typeof columns === "object" ? columns : null;
  const whole = typeof columns === "object" ? {} : objectIn(row, columns, "views");
  if (whole === undefined) return undefined;
  const cells = apart
    ? Object.entries(apart).map(([agent, column]) => [agent, column, valueAt(row, column)] as const)
    : Object.entries(whole).map(
        ([agent, view]) => [agent, `${(columns as string | undefined) ?? "views"}.${agent}`, view] as const,
      );
  const views: Record<string, string> = {};
  for (const [agent, column, cell] of cells) {
    if (cell === undefined && apart && !Object.hasOwn(row, column)) refuse(missing(row, column, `views.${agent}`));
    if (cell !== undefined && cell !== null && cell !== "") views[agent] = textOf(cell, column);
  }
  return Object.keys(views).length === 0 ? undefined : views;
}

function metadataIn(row: UnknownRecord, columns: DataColumns["metadata"]): Extras["metadata"] {
  if (!Array.isArray(columns)) {
    const match = objectIn(row, columns as string | undefined, "metadata");
    return match && (plain(match) as UnknownRecord);
  }
  const names = columns as readonly string[];
  const absent = names.find((name) => valueAt(row, name) === undefined && !Object.hasOwn(row, name));
  if (absent !== undefined) return refuse(missing(row, absent, "metadata"));
  const cells = names.flatMap((name) => {
    const cell = valueAt(row, name);
    return cell === undefined || cell === "" ? [] : [[name, plain(jsonIn(cell))] as const];
  });
  return cells.length === 0 ? undefined : Object.fromEntries(cells);
}

/** Also as JSON; undefined if a default column is missing. */
function objectIn(row: UnknownRecord, named: string | undefined, usual: string): UnknownRecord | undefined {
  const column = named ?? usual;
  const cell = valueAt(row, column);
  if (cell === undefined || cell === "") return named === undefined ? undefined : refuse(missing(row, column, usual));
  const value = jsonIn(cell);
  return isRecord(value)
    ? value
    : refuse(`${column} is ${shownValue(cell)}, expected an object, also as JSON in a cell`);
}

/** Dates and integers beyond 53 bits become text. */
function plain(value: unknown): unknown {
  const number = (text: string): unknown => {
    const exact = exactNumber(text);
    return typeof exact === "bigint" ? text : exact;
  };
  return exactJson(writeJson(value), { number });
}

/** `a.b` is field b of a, unless a column has this name; undefined for a missing column or null. */
function valueAt(row: Readonly<Record<string, unknown>>, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column] ?? undefined;
  let position: unknown = row;
  for (const name of column.split(".")) {
    if (typeof position !== "object" || position === null || !Object.hasOwn(position, name)) return undefined;
    position = (position as Readonly<Record<string, unknown>>)[name];
  }
  return position ?? undefined;
}

/** Text as written in the file; null for other types. */
function plainText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (value instanceof JsonText) return value.text;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  return value instanceof Date ? value.toISOString() : null;
}

function textOf(value: unknown, column: string): string {
  const text = plainText(value);
  if (text !== null) return text;
  if (Array.isArray(value)) return refuse(`${column} is a list of ${value.length}, expected one text or number`);
  return refuse(`${column} is an object; name what is meant in it, as ${partsOf(value, column)}`);
}

function partsOf(value: unknown, column: string): string {
  return Object.keys(value as object)
    .map((key) => `${column}.${key}`)
    .join(" or ");
}

function jsonIn(cell: unknown): unknown {
  if (typeof cell !== "string" || !/^\s*[[{]/u.test(cell)) return cell;
  try {
    return exactJson(cell);
  } catch {
    return cell;
  }
}

function missing(row: Readonly<Record<string, unknown>>, column: string, setting: string): string {
  const there = Object.keys(row);
  const near = nearestName(column, there);
  const advice = `columns.${setting} names another${near === undefined ? "" : `, such as ${near}`}`;
  const state = Object.hasOwn(row, column) ? "is empty" : "is not a column";
  return `${column} ${state}; the row has ${there.join(", ") || "none"}: ${advice}`;
}
