import { isRecord, mapValues } from "@laconic/core";
import { trainConfigSchema } from "@laconic/trainer";
import * as z from "zod";
import { kindAt } from "../resolver/reference.ts";
import { configSchema, parseAppConfig } from "./app-config.ts";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

const ownValue: readonly JsonSchema[] = [
  { type: "string", description: "Custom file: `./file.ts` or `./file.ts#name`" },
  {
    type: "object",
    description: "Custom file with settings",
    required: ["file"],
    properties: { file: { type: "string" } },
  },
];

/**
 * JSON schema (draft 2020-12) of a configuration file, for editors. Derived from the checking schemas. No key is
 * required; the run checks combinations.
 */
export function configurationSchema(): JsonSchema {
  const asJson = (schema: z.ZodType): JsonSchema => {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, {
      unrepresentable: "any",
      io: "input",
      override({ zodSchema, jsonSchema }) {
        if (!(zodSchema instanceof z.ZodCustom)) return;
        // JSON cannot hold values.
        delete jsonSchema["value"];
        jsonSchema.not = {};
      },
    }) as JsonSchema;
    return rest;
  };
  const whole = asJson(configSchema);
  const properties = {
    $schema: { type: "string", description: "Schema location for editors; Laconic ignores it" },
    ...whole.properties,
    train: { ...asJson(trainConfigSchema), description: "The training loop" },
  };
  const defaults: unknown = parseAppConfig({});
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Laconic configuration",
    ...explained({ ...whole, properties }, [], defaults),
  };
}

function explained(schema: JsonSchema, path: readonly string[], value: unknown): JsonSchema {
  const { description, properties, required: _, anyOf, oneOf, items, additionalProperties, ...rest } = schema;
  const explainAll = (pieces: readonly JsonSchema[]): JsonSchema[] => pieces.map((piece) => within(piece, path, value));
  const isPlain = value === null || typeof value !== "object" || Array.isArray(value);
  const piece: JsonSchema = {
    ...rest,
    ...(anyOf && { anyOf: explainAll(anyOf) }),
    ...(oneOf && { oneOf: explainAll(oneOf) }),
    ...(items && { items: within(items, [...path, "*"]) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object" ? within(additionalProperties, [...path, "*"]) : additionalProperties,
    }),
    ...(properties && {
      properties: mapValues(properties, (field, key) =>
        explained(field, [...path, key], isRecord(value) ? value[key] : undefined),
      ),
    }),
  };
  return {
    ...(kindAt(path) ? { anyOf: [piece, ...ownValue] } : piece),
    ...(description !== undefined && { description }),
    ...(value !== undefined && isPlain && { default: value }),
  };
}

/** Drops description and default, which the parent has. */
function within(piece: JsonSchema, path: readonly string[], value?: unknown): JsonSchema {
  const { description: _words, default: _default, ...rest } = explained(piece, path, value);
  const { anyOf } = rest;
  return kindAt(path) && anyOf ? anyOf[0]! : rest;
}
