import type { ToolDefinition } from "@laconic/core";
import { z } from "zod";

/** What a chat has of a caller's tools. */
export interface OfferedTools {
  readonly tools?: readonly { readonly function: OfferedTool }[] | null | undefined;
  readonly tool_choice?: ToolChoice | null | undefined;
}

/** A tool whose calls have to fit its parameters, where it is strict. */
export interface OfferedTool extends ToolDefinition {
  readonly strict?: boolean | null | undefined;
}

/** Whether the model calls: as it likes, not, some tool, or this one. */
type ToolChoice = "auto" | "none" | "required" | { readonly function: { readonly name: string } };

/** A call as it comes back in a chat. */
export interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A text, its parts joined. */
export const textSchema: z.ZodType<string> = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text"), text: z.string() }))
    .transform((all) => all.map((each) => each.text).join("")),
]);

/** The same of a reply; empty where it only calls. */
export const contentSchema: z.ZodType<string> = textSchema.nullish().transform((given) => given ?? "");

/** Calls of an assistant's message. */
export const callsSchema: z.ZodType<readonly WireCall[]> = z
  .array(
    z.object({
      id: z.string().max(256),
      type: z.literal("function").optional(),
      function: z.object({ name: z.string().max(256), arguments: z.string() }),
    }),
  )
  .max(128);

const toolSchema: z.ZodType<{ readonly function: OfferedTool }> = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().max(256),
    description: z.string().exactOptional(),
    parameters: z.unknown().optional(),
    strict: z.boolean().nullish(),
  }),
});

/** The parameters of a chat that offer tools. */
export const offeredShape: {
  readonly tools: z.ZodType<OfferedTools["tools"]>;
  readonly tool_choice: z.ZodType<OfferedTools["tool_choice"]>;
} = {
  tools: z.array(toolSchema).max(128).nullish(),
  tool_choice: z
    .union(
      [
        z.enum(["auto", "none", "required"]),
        z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
      ],
      { error: "it must be auto, none, required, or a function by its name" },
    )
    .nullish(),
};

/** The tools that a chat offers; none where it says that none is to be called. */
export function toolsIn({ tools, tool_choice: choice }: OfferedTools): OfferedTool[] {
  return choice === "none" ? [] : (tools ?? []).map((each) => each.function);
}
