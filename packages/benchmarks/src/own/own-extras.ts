import { isRecord, shownValue, type Problem, type UnknownRecord } from "@laconic/core";
import { exactJson, exactNumber, writeJson } from "@laconic/core/json";
import { jsonIn, missing, textOf, valueAt } from "./cell.ts";
import type { DataColumns } from "./data-settings.ts";

type Extras = Pick<Problem, "views" | "group" | "metadata">;
/** What a cell or row holds, or why it cannot be read. */
export type Read<T> = { readonly value: T } | { readonly reason: string };

/** What a row has beyond question and gold: private views, group and metadata; or why it cannot be read. */
export function ownExtras(row: UnknownRecord, { views, group, metadata }: DataColumns): Read<Extras> {
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
