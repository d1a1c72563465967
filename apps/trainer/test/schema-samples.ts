import { z } from "zod";

export interface Sample {
  readonly path: string;
  readonly value: unknown;
}

export type OwnNames = Readonly<Record<string, readonly string[]>>;

const numbers = [0.5, 0.04, 3, 2, 1.5, 1, 0, 40];
const lists = [["solver"], [2, 3], [["solver"]]];

/**
 * Values that cover every option of a schema: each alternative, and each optional key with only the required ones. One
 * number per range, all values of a choice. Alternatives are named by their literal: `objective(gspo).clip.low`.
 */
export function samplesOf(schema: z.core.$ZodType, path: string, names: OwnNames): Sample[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault)
    return samplesOf(schema.unwrap(), path, names);
  if (schema instanceof z.ZodPipe)
    return samplesOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in, path, names);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => samplesOf(option, `${path}${nameOf(option)}`, names));
  if (schema instanceof z.ZodEnum) return schema.options.map((value) => ({ path, value }));
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => ({ path, value }));
  if (schema instanceof z.ZodBoolean) return [true, false].map((value) => ({ path, value }));
  // JSON cannot contain functions or objects of a program.
  if (schema instanceof z.ZodCustom && schema.meta()?.["value"] !== undefined) return [];
  if ([z.ZodString, z.ZodLazy, z.ZodCustom, z.ZodUnknown].some((kind) => schema instanceof kind))
    return [{ path, value: "solver" }];
  if (schema instanceof z.ZodNumber) return fitting(schema, numbers, path).slice(0, 1);
  if (schema instanceof z.ZodArray) return fitting(schema, lists, path).slice(0, 1);
  if (schema instanceof z.ZodObject) return keysOf(schema, path, names);
  if (!(schema instanceof z.ZodRecord)) throw new Error(`${path}: there is no sample of ${schema.constructor.name}`);
  const inner = schema.valueType;
  return (names[path] ?? ["tokens"]).flatMap((name) =>
    samplesOf(inner, `${path}.*`, names).map((sample) => ({ path: sample.path, value: { [name]: sample.value } })),
  );
}

function fitting(schema: z.core.$ZodType, values: readonly unknown[], path: string): Sample[] {
  return values.filter((value) => z.safeParse(schema, value).success).map((value) => ({ path, value }));
}

function keysOf({ shape }: z.ZodObject, path: string, names: OwnNames): Sample[] {
  const all = Object.entries(shape).map(([key, schema]) => ({
    key,
    isNeeded: !(schema instanceof z.ZodExactOptional),
    samples: samplesOf(schema, `${path}.${key}`, names),
  }));
  const needed = all.filter(({ isNeeded }) => isNeeded);
  const base = Object.fromEntries(needed.map(({ key, samples }) => [key, samples.at(-1)?.value]));
  const tried = all.flatMap(({ key, samples }) =>
    samples.map((sample) => ({ path: sample.path, value: { ...base, [key]: sample.value } })),
  );
  return needed.length > 0 && tried.length === 0 ? [{ path, value: base }] : tried;
}

function nameOf(option: z.core.$ZodType): string {
  if (!(option instanceof z.ZodObject)) return "";
  const literal = Object.values(option.shape).find((field) => field instanceof z.ZodLiteral);
  return literal ? `(${String([...literal.values][0])})` : "";
}
