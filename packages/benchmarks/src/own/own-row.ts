import { isRecord, type UnknownRecord } from "@laconic/core";
import type { RowProblem } from "../data/benchmark.ts";
import { jsonIn, missing, textOf, valueAt } from "./cell.ts";
import type { DataColumns, DataGrading } from "./data-settings.ts";
import { ownExtras, type Read } from "./own-extras.ts";
import { readGold } from "./own-gold.ts";

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
