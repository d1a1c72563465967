import { isRecord } from "./is-record.ts";
import { LaconicError } from "../errors.ts";
import { nearestName } from "./nearest-name.ts";
import type { Field, NumberShape, Shape } from "./shape.ts";
import { shownValue } from "./shown-value.ts";

export interface ShapeMismatch {
  readonly path: readonly string[];
  readonly reason: string;
}

/** Returns the first mismatch, unknown keys first, or null. */
export function findShapeMismatch(shape: Shape, value: unknown): ShapeMismatch | null {
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
      return shape.of.some((each) => findShapeMismatch(each, value) === null)
        ? null
        : shapeMismatch(`it is not accepted here: ${shownValue(value)}`);
  }
}

function inList(shape: Extract<Shape, { kind: "list" }>, value: unknown): ShapeMismatch | null {
  if (!Array.isArray(value)) return shapeMismatch(`it must be a list, not ${shownValue(value)}`);
  if (value.length < (shape.least ?? 0)) return shapeMismatch(`it must have at least ${shape.least} entries`);
  if (value.length > (shape.most ?? Infinity)) return shapeMismatch(`it must have at most ${shape.most} entries`);
  return firstOf(value.map((each, i) => within(String(i), findShapeMismatch(shape.of, each))));
}

function inGroup(fields: Readonly<Record<string, Field>>, value: unknown): ShapeMismatch | null {
  if (!isRecord(value)) return shapeMismatch(`it must be a group of settings, not ${shownValue(value)}`);
  const known = Object.keys(fields);
  const stray = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
  if (stray !== undefined) {
    const near = nearestName(stray, known);
    return {
      path: [stray],
      reason: `there is no such setting; ${near === undefined ? `known here: ${known.join(", ")}` : `did you mean ${near}?`}`,
    };
  }
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
  return mismatches.find((each) => each !== null) ?? null;
}

function within(name: string, inner: ShapeMismatch | null): ShapeMismatch | null {
  return inner && { ...inner, path: [name, ...inner.path] };
}

function shapeMismatch(reason: string): ShapeMismatch {
  return { path: [], reason };
}

/**
 * Refuses a value that does not match its shape.
 * @param place - key in a larger configuration
 * @throws LaconicError `config_invalid`
 */
export function checkShape(shape: Shape, value: unknown, place: string): void {
  const found = findShapeMismatch(shape, value);
  if (!found) return;
  const key = [place, ...found.path].filter((part) => part !== "").join(".");
  throw new LaconicError("config_invalid", `${key}: ${found.reason}`, { key });
}
