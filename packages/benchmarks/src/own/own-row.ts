import { isRecord, type UnknownRecord, shownValue, type Problem, nearestName } from "@laconic/core";
import { exactJson, exactNumber, writeJson, JsonText } from "@laconic/core/json";
import type { Grading } from "@laconic/grading";
import type { RowProblem } from "../data/benchmark.ts";
import { decimalText } from "../data/decimal-text.ts";
import { type DataColumns, type DataGrading, lettersOf } from "./data-settings.ts";

/** A row's problem, without an id where the row has none, or why it cannot be read. */
export function ownRow(row: unknown, grading: DataGrading, columns: DataColumns = {}): Read<RowProblem> {
  if (!isRecord(row)) return { reason: "the row is no object with named columns" };
  const question = required(row, columns.question ?? "question", "question");
  if ("reason" in question) return question;
  const written = goldText(row, columns.gold ?? "gold", grading);
  if ("reason" in written) return written;
  const choices = optionsOf(row, columns.choices);
  if ("reason" in choices) return choices;
  const id = optional(row, columns.id, "id");
  if ("reason" in id) return id;
  const solution = columns.solution === undefined ? { value: undefined } : optional(row, columns.solution, "");
  if ("reason" in solution) return solution;
  const entryPoint = grading.kind === "code" ? optional(row, columns.entryPoint, "entry_point") : { value: undefined };
  if ("reason" in entryPoint) return entryPoint;
  const read = readGold(written.value, grading, {
    question: question.value,
    ...(choices.value && { choices: choices.value }),
    ...(entryPoint.value !== undefined && { entryPoint: entryPoint.value }),
  });
  if ("reason" in read) return read;
  const extras = ownExtras(row, columns);
  if ("reason" in extras) return extras;
  const worked = solution.value ?? read.solution;
  return {
    value: {
      question: grading.kind === "code" ? question.value : question.value.trim(),
      gold: read.gold,
      grading: read.grading,
      ...(choices.value && { choices: choices.value }),
      ...(worked !== undefined && { solution: worked }),
      ...(id.value !== undefined && { id: id.value }),
      ...extras.value,
    },
  };
}

function required(row: UnknownRecord, column: string, setting: string): Read<string> {
  const value = valueAt(row, column);
  const read = value === undefined ? { text: "" } : textOf(value, column);
  if ("reason" in read) return read;
  return read.text.trim() === "" ? { reason: missing(row, column, setting) } : { value: read.text };
}

/** A column that may be absent; one that is named has to be in the row. */
function optional(row: UnknownRecord, named: string | undefined, usual: string): Read<string | undefined> {
  if (named !== undefined) return required(row, named, usual === "entry_point" ? "entryPoint" : usual || "solution");
  const value = valueAt(row, usual);
  if (value === undefined || value === "") return { value: undefined };
  const read = textOf(value, usual);
  return "reason" in read ? read : { value: read.text };
}

/** Tests may be a list of asserts. */
function goldText(row: UnknownRecord, column: string, { kind }: DataGrading): Read<string> {
  const value = valueAt(row, column);
  if (kind === "code" && Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"))
    return { value: value.join("\n") };
  return required(row, column, "gold");
}

/** A list, a text that is one in JSON, or a cell for each option. */
function optionsOf(row: UnknownRecord, columns: DataColumns["choices"]): Read<readonly string[] | undefined> {
  if (Array.isArray(columns)) {
    const cells = (columns as readonly string[]).map((column) => required(row, column, "choices"));
    const bad = cells.find((cell) => "reason" in cell);
    return bad ?? { value: cells.flatMap((cell) => ("value" in cell ? [cell.value] : [])) };
  }
  const column = (columns as string | undefined) ?? "choices";
  const value = valueAt(row, column);
  if (value === undefined || value === "")
    return columns === undefined ? { value: undefined } : { reason: missing(row, column, "choices") };
  const list = jsonIn(value);
  if (!Array.isArray(list))
    return {
      reason:
        typeof value === "string"
          ? `${column} is a text, expected a list, such as ["one","two"]`
          : `${column} is an object; name the list in it, as ${Object.keys(value as object)
              .map((key) => `${column}.${key}`)
              .join(" or ")}`,
    };
  const texts = list.map((each: unknown) => (each === null ? { reason: "" } : textOf(each, column)));
  if (list.length < 2 || list.length > 26 || texts.some((each) => "reason" in each))
    return { reason: `${column} holds no list of 2 to 26 texts` };
  return { value: texts.flatMap((each) => ("text" in each ? [each.text.trim()] : [])) };
}

/** A row's gold as its grader takes it. */
export interface ReadGold {
  readonly gold: string;
  readonly grading: Grading;
  /** What stood before a gold in `#### number`. */
  readonly solution?: string;
}

/** What a gold is read with. */
export interface GoldRow {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly entryPoint?: string;
}

type GoldRead = ReadGold | { readonly reason: string };

/** Reads a gold as the grading asks. @returns a reason for one that no answer could equal */
function readGold(written: string, grading: DataGrading, row: GoldRow): GoldRead {
  if (written.trim() === "") return { reason: "the gold is empty" };
  switch (grading.kind) {
    case "numeric":
      return numericGold(written);
    case "letter":
      return letterGold(written.trim(), grading, row);
    case "maths": {
      const { tolerance } = grading;
      return { gold: written.trim(), grading: { kind: "maths", ...(tolerance !== undefined && { tolerance }) } };
    }
    case "text":
      return written.includes("####")
        ? { reason: "the gold holds ####, behind which an answer is looked for" }
        : { gold: written.trim(), grading: { kind: "text", ...(grading.ignoreCase && { ignoreCase: true }) } };
    case "code":
      return codeGold(written, row);
  }
}

function numericGold(written: string): GoldRead {
  const at = written.lastIndexOf("####");
  const [solution, number] = at < 0 ? [null, written] : [written.slice(0, at).trim(), written.slice(at + 4)];
  // Other commas than those between thousands are points in some countries.
  const grouped = /^[+-]?\d{1,3}(?:,\d{2,3})*,\d{3}(?![\d,])/u.test(number.trim());
  const gold = decimalText(grouped ? number.trim().replaceAll(",", "") : number.trim());
  if (gold !== null) return { gold, grading: { kind: "numeric" }, ...(solution && { solution }) };
  return {
    reason: `the gold ${shownValue(number.trim())} is no number; fractions, powers and expressions are graded as maths`,
  };
}

function letterGold(
  written: string,
  grading: Extract<DataGrading, { kind: "letter" }>,
  { choices }: GoldRow,
): GoldRead {
  const letters = choices ? lettersOf(choices.length) : grading.letters;
  if (letters === undefined)
    return { reason: "there are no options; name their column as columns.choices, or say grading.letters" };
  const result = (index: number): GoldRead =>
    index >= 0 && index < letters.length
      ? { gold: letters[index] as string, grading: { kind: "letter", letters } }
      : {
          reason: `the gold ${shownValue(written)} is none of the ${letters.length} options${hintOf(written, grading)}`,
        };
  switch (grading.golds ?? "letter") {
    case "letter":
      return result(written.length === 1 ? letters.indexOf(written.toUpperCase()) : -1);
    case "index":
      return result(/^\d+(?:\.0*)?$/u.test(written) ? Number(written) : -1);
    case "text": {
      const places = (choices ?? []).flatMap((choice, i) => (choice.trim() === written ? [i] : []));
      return places.length > 1 ? { reason: `several options are ${shownValue(written)}` } : result(places[0] ?? -1);
    }
  }
}

function hintOf(written: string, { golds = "letter" }: Extract<DataGrading, { kind: "letter" }>): string {
  if (golds !== "letter") return "";
  return /^\d+$/u.test(written)
    ? "; where golds count options from 0, grading.golds is index"
    : "; where golds are texts of options, grading.golds is text";
}

function codeGold(test: string, { question, entryPoint }: GoldRow): GoldRead {
  if (entryPoint === undefined)
    return { reason: "there is no entry_point; columns.entryPoint names the column of the function to define" };
  if (!/^[A-Za-z_]\w*$/u.test(entryPoint)) return { reason: `${shownValue(entryPoint)} is not the name of a function` };
  // A question in words is no Python: code that replies to it stands alone.
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
/** What a cell or row holds, or why it cannot be read. */
export type Read<T> = { readonly value: T } | { readonly reason: string };

/** What a row has beyond question and gold: private views, group and metadata; or why it cannot be read. */
function ownExtras(row: UnknownRecord, { views, group, metadata }: DataColumns): Read<Extras> {
  const found = viewsIn(row, views);
  if ("reason" in found) return found;
  const kept = metadataIn(row, metadata);
  if ("reason" in kept) return kept;
  const named = valueAt(row, group ?? "group");
  if (named === undefined && group !== undefined) return { reason: missing(row, group, "group") };
  const said = named === undefined || named === "" ? null : textOf(named, group ?? "group");
  if (said && "reason" in said) return said;
  return {
    value: {
      ...(found.value && { views: found.value }),
      ...(said && { group: said.text }),
      ...(kept.value && { metadata: kept.value }),
    },
  };
}

/** An object by agent in one column, or a column for each agent; an empty cell is no view. */
function viewsIn(row: UnknownRecord, columns: DataColumns["views"]): Read<Extras["views"]> {
  const whole = typeof columns === "object" ? null : objectIn(row, columns, "views");
  if (whole && "reason" in whole) return whole;
  if (whole?.value === undefined && typeof columns !== "object") return { value: undefined };
  const cells = whole?.value
    ? Object.entries(whole.value).map(
        ([agent, view]) => [agent, `${(columns as string | undefined) ?? "views"}.${agent}`, view] as const,
      )
    : Object.entries(columns as object).map(([agent, column]) => [agent, column, valueAt(row, column)] as const);
  const views: Record<string, string> = {};
  for (const [agent, column, cell] of cells) {
    if (cell === undefined && whole === null && !Object.hasOwn(row, column))
      return { reason: missing(row, column, `views.${agent}`) };
    if (cell === undefined || cell === null || cell === "") continue;
    const read = textOf(cell, column);
    if ("reason" in read) return read;
    views[agent] = read.text;
  }
  return { value: Object.keys(views).length === 0 ? undefined : views };
}

/** One column that holds an object, or the named columns. */
function metadataIn(row: UnknownRecord, columns: DataColumns["metadata"]): Read<Extras["metadata"]> {
  if (!Array.isArray(columns)) {
    const found = objectIn(row, columns as string | undefined, "metadata");
    return "reason" in found || found.value === undefined ? found : { value: plain(found.value) as UnknownRecord };
  }
  const names = columns as readonly string[];
  const absent = names.find((name) => valueAt(row, name) === undefined && !Object.hasOwn(row, name));
  if (absent !== undefined) return { reason: missing(row, absent, "metadata") };
  const cells = names.flatMap((name) => {
    const cell = valueAt(row, name);
    return cell === undefined || cell === "" ? [] : [[name, plain(jsonIn(cell))] as const];
  });
  return { value: cells.length === 0 ? undefined : Object.fromEntries(cells) };
}

/** The object of a column, also as JSON in a cell; undefined where the row has none and nobody named the column. */
function objectIn(row: UnknownRecord, named: string | undefined, usual: string): Read<UnknownRecord | undefined> {
  const column = named ?? usual;
  const cell = valueAt(row, column);
  if (cell === undefined || cell === "")
    return named === undefined ? { value: undefined } : { reason: missing(row, column, usual) };
  const value = jsonIn(cell);
  if (isRecord(value)) return { value };
  return { reason: `${column} is ${shownValue(cell)}, expected an object, also as JSON in a cell` };
}

/** As records keep it: dates and whole numbers beyond 53 bits are texts. */
function plain(value: unknown): unknown {
  const number = (text: string): unknown => {
    const exact = exactNumber(text);
    return typeof exact === "bigint" ? text : exact;
  };
  return exactJson(writeJson(value), { number });
}

/**
 * The value of a column; `a.b` is b of the object a where no column is called `a.b`.
 * @returns undefined for a column that the row does not have, or whose value is null
 */
function valueAt(row: Readonly<Record<string, unknown>>, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column] ?? undefined;
  let at: unknown = row;
  for (const name of column.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at ?? undefined;
}

/** A text, or a number or truth value as its file writes it; of anything else, what to do about it. */
function textOf(value: unknown, column: string): { readonly text: string } | { readonly reason: string } {
  if (typeof value === "string") return { text: value };
  if (value instanceof JsonText) return { text: value.text };
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return { text: String(value) };
  if (value instanceof Date) return { text: value.toISOString() };
  if (Array.isArray(value)) return { reason: `${column} is a list of ${value.length}, expected one text or number` };
  const keys = Object.keys(value as object);
  return {
    reason: `${column} is an object; name what is meant in it, as ${keys.map((key) => `${column}.${key}`).join(" or ")}`,
  };
}

/** What a cell says: JSON where it is an object or a list, else the cell. */
function jsonIn(cell: unknown): unknown {
  if (typeof cell !== "string" || !/^\s*[[{]/u.test(cell)) return cell;
  try {
    return exactJson(cell);
  } catch {
    return cell;
  }
}

/** Says that a row lacks a column, what it has instead, and which setting names it. */
export function missing(row: Readonly<Record<string, unknown>>, column: string, setting: string): string {
  const there = Object.keys(row);
  const near = nearestName(column, there);
  const advice = `columns.${setting} names another${near === undefined ? "" : `, such as ${near}`}`;
  const state = Object.hasOwn(row, column) ? "is empty" : "is no column";
  return `${column} ${state}; the row has ${there.join(", ") || "none"}: ${advice}`;
}
