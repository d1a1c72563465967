import { configError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { isObject, type Json } from "../rules/closed-set.ts";

export interface ChangeRow {
  /** First step with the new value. */
  readonly step: number;
  /** Configuration keys, outermost first. */
  readonly path: readonly string[];
  /** Undefined if the setting was missing. */
  readonly before: unknown;
}

/** Skips an incomplete last line. @throws LaconicError `config_invalid` for an invalid line, with file and line */
export function changesIn(text: string, file: string): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (const [i, line] of text.split("\n").slice(0, -1).entries()) {
    const row = line.length > 1e6 ? undefined : tryParseJson(line);
    const { step, key, before } = isObject(row) ? row : {};
    const path = typeof key === "string" ? key.split(".") : [];
    const isRow = typeof step === "number" && Number.isInteger(step) && step >= Math.max(1, rows.at(-1)?.step ?? 1);
    if (!isRow || path.length === 0 || path.some((name) => !/^(?!__proto__$)[\w-]{1,80}$/u.test(name)))
      throw configError(`${file}, line ${i + 1} is not a setting change in step order`);
    rows.push({ step, path, before });
  }
  return rows;
}

/** Configuration of a step: the latest one with later changes undone. */
export function configAt(config: Json, rows: readonly ChangeRow[], step: number): Json {
  const held = structuredClone(config) as Record<string, unknown>;
  for (const { path, before } of rows.filter((row) => row.step > step).toReversed()) {
    let group = held;
    for (const name of path.slice(0, -1)) {
      if (!isObject(group[name])) group[name] = {};
      group = group[name] as Record<string, unknown>;
    }
    const last = path.at(-1)!;
    if (before === undefined) delete group[last];
    else group[last] = before;
  }
  return held;
}
