import { isRecord } from "@laconic/core";
import * as z from "zod";
import { isValueSource, trainValues, valueKindOf, type TrainValues } from "./values.ts";

/**
 * A configuration in which a name stands for one of several alternatives, and a number for both bounds of a range or the target of a
 * budget: `"grpo"` becomes `{ name: "grpo" }`, 0.2 becomes `{ low: 0.2, high: 0.2 }`. Everything else stays as it is.
 */
export function expandPlainForms(schema: z.core.$ZodType, written: unknown): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional)
    return expandPlainForms(schema.unwrap(), written);
  const named = schema instanceof z.ZodUnion && valueKindOf(schema) !== undefined ? schema.options.at(-1) : undefined;
  if (named) return isValue(schema, written) ? written : expandPlainForms(named, written);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const alternative = typeof written === "string" ? { [discriminator]: written } : written;
    if (!isRecord(alternative)) return written;
    const option = schema.options.find(
      (candidate) =>
        candidate instanceof z.ZodObject &&
        z.safeParse(candidate.shape[discriminator], alternative[discriminator]).success,
    );
    return option ? expandPlainForms(option, alternative) : alternative;
  }
  if (schema instanceof z.ZodRecord && isRecord(written))
    return Object.fromEntries(
      Object.entries(written).map(([name, value]) => [name, expandPlainForms(schema.valueType, value)]),
    );
  if (!(schema instanceof z.ZodObject)) return written;
  if (typeof written === "number" && "low" in schema.shape) return { low: written, high: written };
  if (typeof written === "number" && "targetTokens" in schema.shape) return { targetTokens: written };
  if (!isRecord(written)) return written;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      return [name, field ? expandPlainForms(field, value) : value];
    }),
  );
}

/** Whether a setting holds a value, or its source, instead of the settings of a named one. */
function isValue(schema: z.core.$ZodType, written: unknown): boolean {
  const kind = valueKindOf(schema);
  return kind !== undefined && (isValueSource(written) || trainValues[kind].lacks(written) === null);
}

/** The paths of all settings of a schema, groups included; `*` stands for any name. */
export function settingPaths(schema: z.core.$ZodType): string[] {
  return [...new Set(pathsBelow(schema, []))];
}

/** The settings of a schema that take a value, with its kind; `*` stands for any name. */
export function valuePaths(
  schema: z.core.$ZodType,
  path: readonly string[] = [],
): (readonly [path: readonly string[], kind: keyof TrainValues])[] {
  const kind = valueKindOf(schema);
  if (kind !== undefined) return [[path, kind]];
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional) return valuePaths(schema.unwrap(), path);
  if (schema instanceof z.ZodRecord) return valuePaths(schema.valueType, [...path, "*"]);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, field]) => valuePaths(field, [...path, name]));
}

function pathsBelow(schema: z.core.$ZodType, path: readonly string[]): string[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional) return pathsBelow(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => pathsBelow(option, path));
  if (schema instanceof z.ZodRecord) return pathsBelow(schema.valueType, [...path, "*"]);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, field]) => [
    [...path, name].join("."),
    ...pathsBelow(field, [...path, name]),
  ]);
}
