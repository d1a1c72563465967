import type { Random, ToolDefinition } from "@laconic/core";
import * as z from "zod";

/** Context of a tool call. */
export interface ToolContext {
  /** Aborted after the time limit, or if the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Random stream of this call. */
  readonly random: Random;
}

/** Tool for agents, which read its errors. A LaconicError ends the episode. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** Zod schema or JSON Schema of an object. Default: any arguments. */
  readonly parameters?: z.ZodType | Readonly<Record<string, unknown>>;
  /** Strings are returned unchanged, other values as JSON. */
  run(given: never, context: ToolContext): unknown;
}

/** Returns a tool with typed arguments from its zod schema. */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool, "run" | "parameters"> & {
    readonly parameters: Schema;
    run(given: z.output<Schema>, context: ToolContext): unknown;
  },
): Tool {
  return tool;
}

/** Definition for a model's prompt. */
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
