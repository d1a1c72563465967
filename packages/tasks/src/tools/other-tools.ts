import type { UnknownRecord } from "@laconic/core";
import type { Tool } from "./tool.ts";

/** Part of a client of `@modelcontextprotocol/sdk`. */
export interface McpClient {
  listTools(): Promise<{
    readonly tools: readonly {
      readonly name: string;
      readonly description?: string | undefined;
      readonly inputSchema: object;
    }[];
  }>;
  callTool(
    call: { name: string; arguments: Record<string, unknown> },
    schema?: undefined,
    options?: { signal?: AbortSignal },
  ): Promise<unknown>;
}

/** Tools of an MCP server; the caller closes the client. */
export async function mcpTools(client: McpClient): Promise<Tool[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    ...(description !== undefined && { description }),
    parameters: inputSchema as UnknownRecord,
    async run(input: Record<string, unknown>, { signal }: { readonly signal: AbortSignal }) {
      const answer = (await client.callTool({ name, arguments: input }, undefined, { signal })) as {
        readonly isError?: boolean;
        readonly content?: readonly { readonly type: string; readonly text?: string }[];
      };
      const text = (answer.content ?? []).map((part) => part.text ?? `(${part.type})`).join("\n");
      if (answer.isError) throw new Error(text);
      return text;
    },
  }));
}

/** Part of an AI SDK tool. */
export interface AiTool {
  readonly description?: string | undefined;
  /** Zod schema, or the AI SDK's `jsonSchema`. */
  readonly inputSchema: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** Converts AI SDK tools; rejects tools without `execute`. */
export function aiTools(tools: Readonly<Record<string, AiTool>>): Tool[] {
  return Object.entries(tools).map(([name, { description, inputSchema, execute }]) => {
    if (!execute) throw new Error(`the tool ${name} has no execute`);
    const { jsonSchema } = inputSchema as { readonly jsonSchema?: UnknownRecord };
    return {
      name,
      ...(description !== undefined && { description }),
      parameters: (jsonSchema ?? inputSchema) as NonNullable<Tool["parameters"]>,
      run: (input, { signal }) => execute(input, { toolCallId: name, messages: [], abortSignal: signal } as never),
    };
  });
}
