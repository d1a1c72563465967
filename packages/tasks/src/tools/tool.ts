import type { Random, ToolDefinition } from "@laconic/core";
import * as z from "zod";

/** What a tool gets with its arguments. */
export interface ToolContext {
  /** Aborted when its time is over, or nobody waits any more. */
  readonly signal: AbortSignal;
  /** A stream of the call's own. */
  readonly random: Random;
}

/** A tool that agents may call. What it throws is told to the agent; a LaconicError is the machine's and ends the episode. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** A zod schema or a JSON Schema of an object; anything by default. */
  readonly parameters?: z.ZodType | Readonly<Record<string, unknown>>;
  /** A text is told as it is, any other value as JSON. */
  run(given: never, context: ToolContext): unknown;
}

/** A tool whose arguments have the type of its zod schema. */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool, "run" | "parameters"> & {
    readonly parameters: Schema;
    run(given: z.output<Schema>, context: ToolContext): unknown;
  },
): Tool {
  return tool;
}

/** As a model is told of it. */
export function definitionOf({ name, description, parameters }: Tool): ToolDefinition {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters: parameters instanceof z.ZodType ? z.toJSONSchema(parameters) : parameters }),
  };
}

/** @throws Error for a JSON Schema that cannot be read */
export function schemaOf({ parameters }: Tool): z.ZodType {
  if (!parameters) return z.looseObject({});
  return parameters instanceof z.ZodType ? parameters : z.fromJSONSchema(parameters);
}
