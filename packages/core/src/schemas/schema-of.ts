import { mapValues } from "../shapes/is-record.ts";
import * as z from "zod";
import { writtenShape, type Field, type GroupShape, type NumberShape, type Shape } from "../shapes/shape.ts";

/** Zod schema of a shape, for larger schemas. */
export function schemaOf<T>(shape: GroupShape<T>): z.ZodType<T>;
export function schemaOf(shape: Shape): z.ZodType;
export function schemaOf(named: Shape): z.ZodType {
  const shape = writtenShape(named);
  switch (shape.kind) {
    case "number":
      return numberSchema(shape);
    case "boolean":
      return z.boolean();
    case "text":
      return shape.notEmpty ? z.string().min(1) : z.string();
    case "choice":
      return z.literal([...shape.of]);
    case "list":
      return z
        .array(schemaOf(shape.of))
        .min(shape.least ?? 0)
        .max(shape.most ?? Infinity);
    case "group":
      return z.strictObject(mapValues(shape.fields, fieldSchema));
    case "either":
      return z.union(shape.of.map((item) => schemaOf(item)));
  }
}

function fieldSchema({ shape, optional, nullable, help }: Field): z.ZodType {
  const schema = schemaOf(shape);
  const orNull = nullable ? schema.nullable() : schema;
  const orAbsent = optional ? z.exactOptional(orNull) : orNull;
  return help === undefined ? orAbsent : orAbsent.describe(help);
}

function numberSchema({ integer, min, above, max, below }: NumberShape): z.ZodType {
  let schema: z.ZodNumber = integer ? z.int() : z.number();
  if (min !== undefined) schema = schema.min(min);
  if (above !== undefined) schema = schema.gt(above);
  if (max !== undefined) schema = schema.max(max);
  if (below !== undefined) schema = schema.lt(below);
  return schema;
}
