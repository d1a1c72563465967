import { basename, resolve } from "node:path";
import { readFile } from "node:fs/promises";
import { configError, isRecord, LaconicError, dataError, mapValues } from "@laconic/core";
import {
  isValueSource,
  having,
  trainValues,
  typeName,
  trainConfigSchema,
  valuePaths,
  type ValueSource,
  type TrainValues,
  type ValueCheck,
} from "@laconic/trainer";

export type Reference = ValueSource;

/** Whether a value is a reference to a user's file. */
export const isReference: (value: unknown) => value is Reference = isValueSource;

/** Whether text starts with `./`, `../` or `/` (`C:\` on Windows), which no name does. */
function isFileText(text: string): boolean {
  return /^(?:\.{1,2}[\\/]|[\\/]|[a-z]:[\\/])/iu.test(text);
}

/** Accepts `graph.ts` too, where only files are possible. */
export function isModuleText(text: string): boolean {
  return isFileText(text) || isModuleFile(partsOfFileText(text).file);
}

export function isModuleFile(file: string): boolean {
  return /\.[cm]?[jt]sx?$/iu.test(file);
}

/** Splits `./task.ts#spelling`; the default export is `default`. */
export function partsOfFileText(text: string): Pick<Reference, "file" | "export"> {
  const index = text.lastIndexOf("#");
  return index < 0 ? { file: text, export: "default" } : { file: text.slice(0, index), export: text.slice(index + 1) };
}

/** Name in results: the value's, its key, its export, or its file. */
export function referenceTitle({ file, export: name, path, name: title }: Reference): string {
  if (title !== undefined && title !== "") return title;
  if (path !== undefined && path.length > 0) return path.join(".");
  return name === "default" ? basename(file).replace(/\.[cm]?[jt]sx?$/u, "") : name;
}

/** Location such as `task.ts`, `task.ts#spelling`, `run.config.ts (train.reward)`. */
export function referencePlace({ file, export: name, path = [] }: Reference): string {
  const key = path.length > 0 ? ` (${path.join(".")})` : "";
  return `${file}${name === "default" ? "" : `#${name}`}${key}`;
}

export function referencesAt(value: unknown, key = ""): (readonly [key: string, reference: Reference])[] {
  if (isReference(value)) return [[key, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => referencesAt(item, key === "" ? name : `${key}.${name}`));
}

export function referencesIn(value: unknown): Reference[] {
  return referencesAt(value).map(([, reference]) => reference);
}

export function mapReferences<T>(value: T, change: (reference: Reference) => unknown): T {
  if (isReference(value)) return change(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => mapReferences(item, change)) as T;
  if (!isRecord(value)) return value;
  return mapValues(value, (item) => mapReferences(item, change)) as T;
}

type OtherKind = "task" | "team" | "actor" | "sink" | "method" | "board" | "problems" | "drawing";

export type KindName = keyof TrainValues | OtherKind;

/** `read` makes any text at the key a path, also of non-module files. */
interface Kind extends ValueCheck {
  readonly read?: (file: string) => Promise<unknown>;
}

const isTask = having({ name: "string", topology: "object", problems: "function", testProblems: "array" });
const isTopology = having({ name: "string", agents: "array", run: "function" });
const isGraph = having({ name: "string", agents: "array", answer: "object" });

function lacksOfTask(value: unknown): string | null {
  const lack = isTask(value);
  if (lack !== null || !isRecord(value)) return lack;
  const inner = isTopology(value["topology"]);
  if (inner !== null) return `topology: ${inner}`;
  if (typeof value["reward"] === "function" || typeof value["grader"] === "function") return null;
  return "it has neither a reward nor a grader; make one with defineTask";
}

function lacksOfTeam(value: unknown): string | null {
  if (typeof value === "function") return null;
  if (!isRecord(value)) return `it is ${typeName(value)}`;
  if ("topology" in value) return having({ topology: "object", trained: "array", holders: "array" })(value);
  if ("make" in value) return having({ name: "string", heeds: "array", make: "function" })(value);
  return "run" in value ? isTopology(value) : isGraph(value);
}

export const kinds: Readonly<Record<KindName, Kind>> = {
  ...trainValues,
  examples: {
    ...trainValues.examples,
    read: exampleRows,
  },
  task: { noun: "task", lacks: lacksOfTask },
  team: { noun: "team", lacks: lacksOfTeam },
  actor: { noun: "language model", lacks: having({ id: "string", complete: "function" }) },
  sink: {
    noun: "sink",
    lacks: (value) => (typeof value === "function" ? null : having({ log: "function" })(value)),
  },
  method: {
    noun: "method",
    lacks: having({ name: "string", title: "string", create: "function", maxCalls: "function" }),
  },
  board: { noun: "benchmark", lacks: having({ name: "string", problems: "array" }) },
  problems: {
    noun: "list of problems",
    lacks: (value) => (Array.isArray(value) ? null : `it is ${typeName(value)}, not a list`),
  },
  drawing: { noun: "graph", lacks: lacksOfTeam },
};

/** Rows with positions, from JSON lines, a JSON array or Parquet, optionally in gzip. */
async function exampleRows(file: string): Promise<readonly unknown[]> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw configError(
      `${file} cannot be read: ${(error as Error).message}; paths are relative to the file that contains them`,
      { file },
      error,
    );
  });
  const { readRows } = await import("@laconic/benchmarks");
  return (await readRows(file, bytes)).map((row) => {
    const source = `${file} row ${row.row}`;
    if ("reason" in row) throw dataError(`${source}: ${row.reason}`, { file, row: row.row });
    if (!isRecord(row.value)) throw dataError(`${source}: expected an object`, { file, row: row.row });
    return { ...row.value, source };
  });
}

/** Keys that take values; `*` is any key. */
export const places: readonly (readonly [key: string, kind: KindName])[] = [
  ["task", "task"],
  ["task.team", "team"],
  ["task.team.*", "team"],
  ["actor", "actor"],
  ["sinks.*", "sink"],
  ["warmStart.examples", "examples"],
  ...valuePaths(trainConfigSchema).map(([path, kind]) => [["train", ...path].join("."), kind] as const),
];

/** Kind of a key's value; null for settings. */
export function kindAt(path: readonly string[]): KindName | null {
  return places.find(([key]) => matches(key, path))?.[1] ?? null;
}

function matches(key: string, path: readonly string[]): boolean {
  const parts = key.split(".");
  return parts.length === path.length && parts.every((part, i) => part === "*" || part === path[i]);
}

const valueKeys: string = places.map(([key]) => key.replaceAll("*", "NAME")).join(", ");

interface Speaker {
  readonly directory: string;
  /** Module of the values; absent if it has none. */
  readonly module?: string;
  /** Export name. Default `default`. */
  readonly export?: string;
}

/**
 * Converts a configuration to plain JSON; custom values and files become references.
 * @param path - position in the configuration
 * @throws LaconicError `config_invalid` for an invalid value, or one where only settings are allowed
 */
export function referenced(value: unknown, speaker: Speaker, path: readonly string[] = []): unknown {
  const kind = kindAt(path);
  const valueSource = kind && referenceTo(value, kind, speaker, path);
  if (valueSource) return valueSource;
  if (Array.isArray(value)) return value.map((item, i) => referenced(item, speaker, [...path, String(i)]));
  if (isPlain(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) =>
        item === undefined ? [] : [[key, referenced(item, speaker, [...path, key])]],
      ),
    );
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  const noun = typeof value === "object" ? "value of a class" : typeof value;
  const hint = path.join(".") === "train.estimator" ? "; an estimator goes at train.advantage" : "";
  throw refusal(path, `expected a setting, got a ${noun}${hint}; values are allowed at ${valueKeys}`);
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
  if (lack !== null) throw refusal(path, `expected a value of kind ${kinds[kind].noun}: ${lack}`);
  if (speaker.module === undefined)
    throw refusal(path, "a stored value needs a module; put it into a file, and give the file");
  const title = nameOf(value);
  return {
    file: speaker.module,
    export: speaker.export ?? "default",
    path: [...path],
    ...(title !== undefined && { name: title }),
  };
}

/** Refuses unknown keys, for example from the command line. @throws LaconicError `config_invalid` */
export function checkReferences(value: unknown, path: readonly string[] = []): void {
  if (!isRecord(value) && !Array.isArray(value)) return;
  if (!isReference(value)) {
    for (const [key, item] of Object.entries(value)) checkReferences(item, [...path, key]);
    return;
  }
  const knownNames = ["file", "export", "path", "settings", "name"];
  const stray = Object.keys(value).find((key) => !knownNames.includes(key));
  if (stray !== undefined)
    throw refusal(
      [...path, stray],
      `${path.join(".")} is a value of ${value.file}; its settings go to ${[...path, "settings", stray].join(".")}`,
    );
}

/** Form `{ file: "./task.ts", settings: { digits: 4 } }`. */
function isWritten(value: unknown): value is { readonly file: string; readonly settings?: Record<string, unknown> } {
  return (
    isRecord(value) &&
    typeof value["file"] === "string" &&
    (value["settings"] === undefined || isRecord(value["settings"])) &&
    Object.keys(value).every((key) => key === "file" || key === "settings")
  );
}

function isOwn(value: unknown, kind: KindName): value is object {
  if (typeof value === "function") return true;
  // Such kinds can be a list, which becomes a reference.
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
  // Objects of another realm have a different `Object.prototype`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refusal(path: readonly string[], reason: string): LaconicError {
  const key = path.join(".");
  return configError(`${key === "" ? "the configuration" : key}: ${reason}`, { key });
}
