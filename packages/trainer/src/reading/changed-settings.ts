import { LaconicError, type UnknownRecord } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { changesOf } from "./run-manifest.ts";
import { recordIn } from "./run-source.ts";

/** Line of `changes.jsonl`. */
export interface ChangedSetting {
  /** First step with the new value. */
  readonly step: number;
  /** Dotted path. */
  readonly key: string;
  /** Absent if the setting did not exist. */
  readonly before?: unknown;
  readonly now?: unknown;
}

/** A thousand budget changes take 300 kB. */
const maxLineLength = 1 << 20;

const keyForm = /^[\w-]{1,80}(?:\.[\w-]{1,80}){0,9}$/u;
const inherited = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Parses `changes.jsonl`; a torn last line is ignored.
 * @throws LaconicError `checkpoint_corrupt` naming file and line
 */
export function parseChangedSettings(text: string, file: string): ChangedSetting[] {
  const lines = text.split("\n");
  lines.pop(); // empty, or a torn line
  let last = 1;
  return lines.map((line, i) => {
    const refuse = (reason: string): never => {
      throw new LaconicError("checkpoint_corrupt", `${file}, line ${i + 1}: ${reason}; put the file back`, {
        file,
        line: i + 1,
      });
    };
    if (line.length > maxLineLength) return refuse(`it has ${line.length} characters, more than ${maxLineLength}`);
    const row = recordIn(tryParseJson(line));
    if (!row) return refuse("it is not a JSON object");
    const { step, key, before, now, ...others } = row;
    if (typeof step !== "number" || !Number.isInteger(step) || step < 1)
      return refuse("its step is not a positive integer");
    if (step < last) return refuse(`step ${step} follows step ${last}`);
    if (typeof key !== "string" || !keyForm.test(key) || key.split(".").some((part) => inherited.has(part)))
      return refuse("its key is not a setting's name");
    const [other] = Object.keys(others);
    if (other !== undefined)
      return refuse(`it has ${JSON.stringify(other.slice(0, 80))}, which is not a field of such a line`);
    last = step;
    return { step, key, ...(before !== undefined && { before }), ...(now !== undefined && { now }) };
  });
}

/** Settings in effect at a step. @param settings - current settings */
export function settingsAt(settings: UnknownRecord, changes: readonly ChangedSetting[], step: number): UnknownRecord {
  return changes
    .filter((change) => change.step > step)
    .reduceRight((held, { key, before }) => withValue(held, key.split("."), before), settings);
}

function valueAt(settings: unknown, key: string): unknown {
  return key.split(".").reduce((value, part) => {
    const record = recordIn(value);
    return record && Object.hasOwn(record, part) ? record[part] : undefined;
  }, settings);
}

function withValue(settings: UnknownRecord, [name = "", ...rest]: readonly string[], value: unknown): UnknownRecord {
  const { [name]: old, ...others } = settings;
  if (rest.length > 0) return { ...settings, [name]: withValue(recordIn(old) ?? {}, rest, value) };
  return value === undefined ? others : { ...settings, [name]: value };
}

/**
 * Changes at a step.
 * @param keys - settings that may change
 * @param again - listed even if unchanged
 */
export function changedSettings(
  { held, next, step }: { readonly held: UnknownRecord; readonly next: UnknownRecord; readonly step: number },
  keys: readonly string[],
  again: ReadonlySet<string>,
): ChangedSetting[] {
  return [...new Set([...keys, ...again])].flatMap((key) => {
    const [before, now] = [valueAt(held, key), valueAt(next, key)];
    if (!again.has(key) && changesOf(before, now).length === 0) return [];
    return [{ step, key, ...(before !== undefined && { before }), ...(now !== undefined && { now }) }];
  });
}

/** Settings that changed at a step. */
export interface ChangesOfStep {
  readonly step: number;
  readonly text: string;
}

/** Formats changes by their first step. */
export function describeChanges(changes: readonly ChangedSetting[]): ChangesOfStep[] {
  const byStep = new Map<number, string[]>();
  for (const change of changes) byStep.set(change.step, [...(byStep.get(change.step) ?? []), describeChange(change)]);
  return Array.from(byStep, ([step, texts]) => ({ step, text: texts.join("; ") }));
}

const maxShown = 60;

/** Formats a change as `budget: 14 → 20`; long values are truncated. */
export function describeChange({ key, before, now }: Pick<ChangedSetting, "key" | "before" | "now">): string {
  const path = key.replace(/^train\./u, "");
  if (path === "budget") return `budget: ${budgetIn(before)} → ${budgetIn(now)}`;
  const changes = changesOf(before, now, path).map((change) => {
    const name = change.key.replace(/^prices\.tokens$/u, "price of a token").replace(/^prices\./u, "price of ");
    return `${name}: ${shown(change.before)} → ${shown(change.now)}`;
  });
  return changes.length === 0 ? `${path}: as before` : changes.join(", ");
}

function budgetIn(value: unknown): string {
  const target = recordIn(value)?.["targetTokens"];
  return value === null || value === undefined
    ? "none"
    : typeof target === "number"
      ? `${target} tokens`
      : shown(JSON.stringify(value));
}

function shown(text: string): string {
  const plain = text === "nothing" || text === "null" ? "none" : text;
  return plain.length > maxShown ? `${plain.slice(0, maxShown)}…` : plain;
}
