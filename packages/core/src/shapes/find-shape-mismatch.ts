import { isRecord } from "./is-record.ts";
import { refuseSetting } from "../errors.ts";
import { nameHint } from "./nearest-name.ts";
import { writtenShape, type Field, type NumberShape, type Shape } from "./shape.ts";
import { shownValue } from "./shown-value.ts";

export interface ShapeMismatch {
  readonly path: readonly string[];
  readonly reason: string;
}

/** Returns the first mismatch, unknown keys first, or null. */
export function findShapeMismatch(named: Shape, value: unknown): ShapeMismatch | null {
  const shape = writtenShape(named);
  switch (shape.kind) {
    case "number":
      return fitsNumber(shape, value) ? null : shapeMismatch(`it must be ${rangeOf(shape)}, not ${shownValue(value)}`);
    case "boolean":
      return typeof value === "boolean" ? null : shapeMismatch(`it must be true or false, not ${shownValue(value)}`);
    case "text":
      return typeof value === "string" && !(shape.notEmpty && value === "")
        ? null
        : shapeMismatch(`it must be a text, not ${shownValue(value)}`);
    case "choice":
      return (shape.of as readonly unknown[]).includes(value)
        ? null
        : shapeMismatch(`it must be one of ${shape.of.join(", ")}, not ${shownValue(value)}`);
    case "list":
      return inList(shape, value);
    case "group":
      return inGroup(shape.fields, value);
    case "either":
      return shape.of.some((item) => findShapeMismatch(item, value) === null)
        ? null
        : shapeMismatch(`it is not accepted here: ${shownValue(value)}`);
  }
}

function inList(shape: Extract<Shape, { kind: "list" }>, value: unknown): ShapeMismatch | null {
  if (!Array.isArray(value)) return shapeMismatch(`it must be a list, not ${shownValue(value)}`);
  if (value.length < (shape.least ?? 0)) return shapeMismatch(`it must have at least ${shape.least} entries`);
  if (value.length > (shape.most ?? Infinity)) return shapeMismatch(`it must have at most ${shape.most} entries`);
  return firstOf(value.map((item, i) => within(String(i), findShapeMismatch(shape.of, item))));
}

function inGroup(fields: Readonly<Record<string, Field>>, value: unknown): ShapeMismatch | null {
  if (!isRecord(value)) return shapeMismatch(`it must be a group of settings, not ${shownValue(value)}`);
  const knownNames = Object.keys(fields);
  const stray = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
  if (stray !== undefined) return { path: [stray], reason: `unknown setting; ${nameHint(stray, knownNames)}` };
  return firstOf(
    Object.entries(fields).map(([name, { shape, optional, nullable }]) => {
      if (!Object.hasOwn(value, name)) return optional ? null : { path: [name], reason: "it is missing" };
      if (value[name] === null && nullable) return null;
      return within(name, findShapeMismatch(shape, value[name]));
    }),
  );
}

function fitsNumber({ integer, min, above, max, below }: NumberShape, value: unknown): boolean {
  return (
    typeof value === "number" &&
    Number.isFinite(value) &&
    !(integer && !Number.isSafeInteger(value)) &&
    value >= (min ?? -Infinity) &&
    value > (above ?? -Infinity) &&
    value <= (max ?? Infinity) &&
    value < (below ?? Infinity)
  );
}

/** Describes a range: "a finite number above 0 below 1". */
export function rangeOf({ integer, min, above, max, below }: NumberShape): string {
  const low = min !== undefined ? [`from ${min}`] : above !== undefined ? [`above ${above}`] : [];
  const high = max !== undefined ? [`to ${max}`] : below !== undefined ? [`below ${below}`] : [];
  return [integer ? "a whole number" : "a finite number", ...low, ...high].join(" ");
}

function firstOf(mismatches: readonly (ShapeMismatch | null)[]): ShapeMismatch | null {
  return mismatches.find((mismatch) => mismatch !== null) ?? null;
}

function within(name: string, inner: ShapeMismatch | null): ShapeMismatch | null {
  return inner && { ...inner, path: [name, ...inner.path] };
}

function shapeMismatch(reason: string): ShapeMismatch {
  return { path: [], reason };
}

/**
 * Refuses a value that does not match its shape.
 * @param location - key in a larger configuration
 * @throws LaconicError `config_invalid`
 */
export function checkShape(shape: Shape, value: unknown, location: string): void {
  const match = findShapeMismatch(shape, value);
  if (!match) return;
  const key = [location, ...match.path].filter((part) => part !== "").join(".");
  refuseSetting(key, match.reason);
}
