import type { Random, ToolDefinition, UnknownRecord } from "@laconic/core";
import * as z from "zod";

/** Context of a tool call. */
export interface ToolContext {
  /** Aborted after the time limit, or if unneeded. */
  readonly signal: AbortSignal;
  readonly random: Random;
}

/** Tool whose errors agents read; a LaconicError ends the episode. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** Schema of an object. Default: any arguments. */
  readonly parameters?: z.ZodType | UnknownRecord;
  /** Other values than strings become JSON. */
  run(input: never, context: ToolContext): unknown;
}

/** Typed arguments from a zod schema. */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool, "run" | "parameters"> & {
    readonly parameters: Schema;
    run(input: z.output<Schema>, context: ToolContext): unknown;
  },
): Tool {
  return tool;
}

export function definitionOf({ name, description, parameters }: Tool): ToolDefinition {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters: parameters instanceof z.ZodType ? z.toJSONSchema(parameters) : parameters }),
  };
}

/** @throws Error for an invalid JSON Schema */
export function schemaOf({ parameters }: Tool): z.ZodType {
  if (!parameters) return z.looseObject({});
  return parameters instanceof z.ZodType ? parameters : z.fromJSONSchema(parameters);
}
