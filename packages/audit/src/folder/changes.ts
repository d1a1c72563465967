import { boundedJson, LaconicError } from "@laconic/core";
import type { Findings } from "../findings.ts";

type Json = Readonly<Record<string, unknown>>;

/** A line of `changes.jsonl`: a setting that was another one before a step. */
export interface ChangeRow {
  /** The first that was taken under the new value. */
  readonly step: number;
  /** Names in the configuration, the outermost first. */
  readonly path: readonly string[];
  /** Undefined where the setting did not exist. */
  readonly before: unknown;
  readonly now: unknown;
}

/** @throws LaconicError `config_invalid` naming file and line for one that no training writes; half a last line counts for nothing */
export function changesIn(text: string, file: string): ChangeRow[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const rows: ChangeRow[] = [];
  for (const [i, line] of whole.split("\n").slice(0, -1).entries()) {
    const at = `${file}, line ${i + 1}`;
    const refused = (why: string): LaconicError =>
      new LaconicError("config_invalid", `${at}: ${why}; without it nobody knows what held at which step`, {
        file,
        line: i + 1,
      });
    if (line.length > 1e6) throw refused("a setting of a megabyte is none");
    const row = objectIn(line);
    const { step, key, before, now } = row ?? {};
    if (!row || !Number.isInteger(step) || typeof key !== "string") throw refused("it names no step and setting");
    const names = key.split(".");
    if (names.some((name) => !/^(?!__proto__$)[\w-]{1,80}$/u.test(name))) throw refused("its key is no setting's");
    if ((step as number) < Math.max(1, rows.at(-1)?.step ?? 1))
      throw refused(`step ${String(step)} is too early there`);
    rows.push({ step: step as number, path: names, before, now });
  }
  return rows;
}

function objectIn(line: string): Json | null {
  try {
    const row: unknown = boundedJson(line);
    return typeof row === "object" && row !== null && !Array.isArray(row) ? (row as Json) : null;
  } catch {
    return null;
  }
}

/** The configuration that a step was taken under: the last one, with what changed later taken back. */
export function configAt(config: Json, rows: readonly ChangeRow[], step: number): Json {
  const held = structuredClone(config) as Record<string, unknown>;
  for (const { path, before } of rows.filter((row) => row.step > step).toReversed()) {
    let place = held;
    for (const name of path.slice(0, -1)) {
      if (typeof place[name] !== "object" || place[name] === null) place[name] = {};
      place = place[name] as Record<string, unknown>;
    }
    const last = path.at(-1) as string;
    if (before === undefined) delete place[last];
    else place[last] = before;
  }
  return held;
}

/**
 * Every change begins with what the one before it ended with, and the last is what the configuration says.
 * @param last - the last step that was recorded: a change behind it may be half written
 */
export function checkChanges(config: Json, rows: readonly ChangeRow[], last: number, findings: Findings): void {
  const seen = new Map<string, ChangeRow>();
  for (const row of rows) {
    const key = row.path.join(".");
    const earlier = seen.get(key);
    if (earlier) findings.same("folder", { step: row.step }, `changes.jsonl: ${key} before`, earlier.now, row.before);
    seen.set(key, row);
  }
  for (const [key, { step, path, now }] of seen) {
    if (step > last) continue;
    const found = path.reduce<unknown>(
      (value, name) => (typeof value === "object" && value !== null ? (value as Json)[name] : undefined),
      config,
    );
    findings.same("folder", { step }, `config.json: ${key}`, now, found);
  }
}
