import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { isObject, type Json } from "../rules/closed-set.ts";

/** A line of `changes.jsonl`: a setting that was another one before a step. */
export interface ChangeRow {
  /** The first step under the new value. */
  readonly step: number;
  /** Names in the configuration, the outermost first. */
  readonly path: readonly string[];
  /** Undefined where the setting did not exist. */
  readonly before: unknown;
}

/** @throws LaconicError `config_invalid` naming file and line for one that no training writes; half a last line is left out */
export function changesIn(text: string, file: string): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (const [i, line] of text.split("\n").slice(0, -1).entries()) {
    const row = line.length > 1e6 ? undefined : tryParseJson(line);
    const { step, key, before } = isObject(row) ? row : {};
    const path = typeof key === "string" ? key.split(".") : [];
    const isRow = typeof step === "number" && Number.isInteger(step) && step >= Math.max(1, rows.at(-1)?.step ?? 1);
    if (!isRow || path.length === 0 || path.some((name) => !/^(?!__proto__$)[\w-]{1,80}$/u.test(name)))
      throw new LaconicError(
        "config_invalid",
        `${file}, line ${i + 1} is no change of a setting in the order of steps`,
      );
    rows.push({ step, path, before });
  }
  return rows;
}

/** The configuration of a step: the last one, with later changes undone. */
export function configAt(config: Json, rows: readonly ChangeRow[], step: number): Json {
  const held = structuredClone(config) as Record<string, unknown>;
  for (const { path, before } of rows.filter((row) => row.step > step).toReversed()) {
    let group = held;
    for (const name of path.slice(0, -1)) {
      if (!isObject(group[name])) group[name] = {};
      group = group[name] as Record<string, unknown>;
    }
    const last = path.at(-1) as string;
    if (before === undefined) delete group[last];
    else group[last] = before;
  }
  return held;
}
