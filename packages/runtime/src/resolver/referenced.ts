import { resolve } from "node:path";
import { isRecord, LaconicError } from "@laconic/core";
import { trainConfigSchema, valuePaths } from "@laconic/trainer";
import { kinds, type KindName } from "./kinds.ts";
import { isFileText, isReference, partsOfFileText, type Reference } from "./reference.ts";

/** Where a configuration takes values; `*` is any key. */
export const places: readonly (readonly [key: string, kind: KindName])[] = [
  ["task", "task"],
  ["task.team", "team"],
  ["task.team.*", "team"],
  ["actor", "actor"],
  ["sinks.*", "sink"],
  ["warmStart.examples", "examples"],
  ...valuePaths(trainConfigSchema).map(([path, kind]) => [["train", ...path].join("."), kind] as const),
];

/** The kind of value that may stand at a key; null where only settings do. */
export function kindAt(path: readonly string[]): KindName | null {
  return places.find(([key]) => matches(key, path))?.[1] ?? null;
}

/** Whether a path is one of a key, in which `*` is any name. */
function matches(key: string, path: readonly string[]): boolean {
  const parts = key.split(".");
  return parts.length === path.length && parts.every((part, i) => part === "*" || part === path[i]);
}

/** For messages. */
const valueKeys: string = places.map(([key]) => key.replaceAll("*", "NAME")).join(", ");

/** Who says a configuration: paths in it are relative to `directory`. */
export interface Speaker {
  readonly directory: string;
  /** The module that exports it: values in it are found there again. Absent where there can be none. */
  readonly module?: string;
  /** Under which name; `default` when absent. */
  readonly export?: string;
}

/**
 * A configuration as plain JSON: every value of a user's own, and every name of a file that makes one, becomes a reference.
 * @param path - where the piece lies in the whole
 * @throws LaconicError `config_invalid` for a value where only settings go, or that is not what its key takes
 */
export function referenced(value: unknown, speaker: Speaker, path: readonly string[] = []): unknown {
  const kind = kindAt(path);
  const found = kind && referenceTo(value, kind, speaker, path);
  if (found) return found;
  if (Array.isArray(value)) return value.map((each, i) => referenced(each, speaker, [...path, String(i)]));
  if (isPlain(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) =>
        each === undefined ? [] : [[key, referenced(each, speaker, [...path, key])]],
      ),
    );
  if (isSetting(value)) return value;
  const hint = path.join(".") === "train.estimator" ? "; an estimator goes at train.advantage" : "";
  throw refusal(path, `only settings go here, no ${nounOf(value)}${hint}; values of your own go at ${valueKeys}`);
}

function referenceTo(value: unknown, kind: KindName, speaker: Speaker, path: readonly string[]): Reference | null {
  if (typeof value === "string") {
    if (!isFileText(value) && !kinds[kind].read) return null;
    const { file, export: name } = partsOfFileText(value);
    return { file: resolve(speaker.directory, file), export: name };
  }
  if (isReference(value)) return { ...value, file: resolve(speaker.directory, value.file) };
  if (isWritten(value)) {
    const { file, export: name } = partsOfFileText(value.file);
    const settings = value.settings && (referenced(value.settings, speaker, [...path, "settings"]) as object);
    return { file: resolve(speaker.directory, file), export: name, ...(settings && { settings: { ...settings } }) };
  }
  if (!isOwn(value, kind)) return null;
  const lack = typeof value === "function" && kind === "task" ? null : kinds[kind].lacks(value);
  if (lack !== null) throw refusal(path, `this is no ${kinds[kind].noun}: ${lack}`);
  if (speaker.module === undefined)
    throw refusal(path, "a value is found again by the module that makes it; put it into a file, and name that");
  const own = nameOf(value);
  return {
    file: speaker.module,
    export: speaker.export ?? "default",
    path: [...path],
    ...(own !== undefined && { name: own }),
  };
}

/**
 * Refuses a reference with a key that says nothing, as a word of the command line may have set.
 * @throws LaconicError `config_invalid`
 */
export function checkReferences(value: unknown, path: readonly string[] = []): void {
  if (!isRecord(value) && !Array.isArray(value)) return;
  if (!isReference(value)) {
    for (const [key, each] of Object.entries(value)) checkReferences(each, [...path, key]);
    return;
  }
  const known = ["file", "export", "path", "settings", "name"];
  const stray = Object.keys(value).find((key) => !known.includes(key));
  if (stray !== undefined)
    throw refusal(
      [...path, stray],
      `${path.join(".")} is of ${value.file}; what it is to be told goes at ${[...path, "settings", stray].join(".")}`,
    );
}

/** `{ file: "./task.ts", settings: { digits: 4 } }` */
function isWritten(value: unknown): value is { readonly file: string; readonly settings?: Record<string, unknown> } {
  return (
    isRecord(value) &&
    typeof value["file"] === "string" &&
    (value["settings"] === undefined || isRecord(value["settings"])) &&
    Object.keys(value).every((key) => key === "file" || key === "settings")
  );
}

/** Whether a value is meant as one of its kind, rather than as settings of a named one. */
function isOwn(value: unknown, kind: KindName): value is object {
  if (typeof value === "function") return true;
  // What could be a file could be a list, of which a configuration keeps the place.
  if (Array.isArray(value)) return kinds[kind].read !== undefined;
  if (!isRecord(value)) return false;
  if (kind === "team") return true;
  if (kind === "task") return ["topology", "problems", "testProblems", "reward", "grader"].some((key) => key in value);
  return !isPlain(value) || Object.values(value).some((member) => typeof member === "function");
}

function nameOf(value: object): string | undefined {
  const { name, topology } = value as { readonly name?: unknown; readonly topology?: unknown };
  if (typeof name === "string") return name;
  return isRecord(topology) && typeof topology["name"] === "string" ? topology["name"] : undefined;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another copy of the language has an Object of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isSetting(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function nounOf(value: unknown): string {
  return typeof value === "object" ? "value of a class" : typeof value;
}

function refusal(path: readonly string[], reason: string): LaconicError {
  const key = path.join(".");
  return new LaconicError("config_invalid", `${key === "" ? "the configuration" : key}: ${reason}`, { key });
}
