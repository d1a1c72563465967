import { basename } from "node:path";
import { isRecord } from "@laconic/core";
import { isValueSource, type ValueSource } from "@laconic/trainer";

/** A value as a configuration keeps it: where it is made, never what it is. */
export type Reference = ValueSource;

/** Whether a value of a configuration is a reference to another. */
export const isReference: (value: unknown) => value is Reference = isValueSource;

/** A module, by its path: it begins with `./`, `../` or `/` (`C:\` on Windows), so that no name is mistaken for one. */
export function isFileText(text: string): boolean {
  return /^(?:\.{1,2}[\\/]|[\\/]|[a-z]:[\\/])/iu.test(text);
}

/** The same where nothing else than a file can be meant: `graph.ts` is one too, as it is for `train`. */
export function isModuleText(text: string): boolean {
  return isFileText(text) || isModuleFile(partsOfFileText(text).file);
}

/** Whether a file is of a kind that can be imported. */
export function isModuleFile(file: string): boolean {
  return /\.[cm]?[jt]sx?$/iu.test(file);
}

/** `./task.ts#spelling`, as one part each; the export is `default` where none is named. */
export function partsOfFileText(text: string): Pick<Reference, "file" | "export"> {
  const at = text.lastIndexOf("#");
  return at < 0 ? { file: text, export: "default" } : { file: text.slice(0, at), export: text.slice(at + 1) };
}

/** What results call it: its own name, its export, or its file. */
export function referenceTitle({ file, export: name, path, name: own }: Reference): string {
  if (own !== undefined && own !== "") return own;
  if (path !== undefined && path.length > 0) return path.join(".");
  return name === "default" ? basename(file).replace(/\.[cm]?[jt]sx?$/u, "") : name;
}

/** Where it is, for messages: `task.ts`, `task.ts#spelling`, `run.config.ts (train.reward)`. */
export function referencePlace({ file, export: name, path = [] }: Reference): string {
  const key = path.length > 0 ? ` (${path.join(".")})` : "";
  return `${file}${name === "default" ? "" : `#${name}`}${key}`;
}

/** Every reference in a configuration, by its key. */
export function referencesAt(value: unknown, key = ""): (readonly [key: string, reference: Reference])[] {
  if (isReference(value)) return [[key, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => referencesAt(each, key === "" ? name : `${key}.${name}`));
}

/** Every reference in a configuration. */
export function referencesIn(value: unknown): Reference[] {
  return referencesAt(value).map(([, reference]) => reference);
}

/** The configuration with every reference changed. */
export function mapReferences<T>(value: T, change: (reference: Reference) => Reference): T {
  if (isReference(value)) return change(value) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => mapReferences(each, change)) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapReferences(each, change)])) as T;
}
