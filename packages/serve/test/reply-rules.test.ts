import { createAnthropic } from "@ai-sdk/anthropic";
import type { CompletionRequest, LanguageModel } from "@laconic/core";
import { completionHandler, hermesTools, type CompletionHandler } from "@laconic/serve";
import { generateText, tool } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { anthropicOf, lookTool, openAiOf } from "./surface-cases.ts";
import { scripted, tokenizer, toolCall } from "./tiny-gateway.ts";
import { serving } from "./tiny-server.ts";

function saying(...texts: readonly string[]): LanguageModel & { readonly asked: CompletionRequest[] } {
  const asked: CompletionRequest[] = [];
  const model = scripted((_, request) => {
    asked.push(request);
    return texts[asked.length - 1] ?? "none is left";
  });
  return { ...model, asked };
}

const handlerOf = (policy: LanguageModel): CompletionHandler =>
  completionHandler(
    serving({ policy, tokenizer, contextLength: 4096, maxBodyBytes: 1 << 20, tools: hermesTools() }, () => undefined),
  );

const clientOf = (policy: LanguageModel): OpenAI => openAiOf(handlerOf(policy));

const asked = { model: "tiny", messages: [{ role: "user" as const, content: "say" }] };
const look: OpenAI.ChatCompletionTool = { type: "function", function: lookTool };

test.each([false, true])("redraws a reply that breaks its rule from another stream (streamed: %s)", async (stream) => {
  const fits = '{"a":3}';
  const bad = ["no json", "[1]", '{"a":', "1"];
  const policy = saying(...bad, fits);
  const client = clientOf(policy);
  const format = { ...asked, response_format: { type: "json_object" as const } };
  const { choices, usage } = stream
    ? await client.chat.completions.stream({ ...format, stream_options: { include_usage: true } }).finalChatCompletion()
    : await client.chat.completions.create(format);
  expect(choices[0]?.message.content).toBe(fits);
  expect(new Set(policy.asked.map(({ random }) => random.join())).size).toBe(bad.length + 1);
  // With the end token of each draw.
  expect(usage?.completion_tokens).toBe(
    [...bad, fits].reduce((sum, text) => sum + tokenizer.encode(text).length + 1, 0),
  );
});

test("the same seed gives the same draws", async () => {
  const streams = await Promise.all(
    [1, 2].map(async () => {
      const policy = saying("no", "{}");
      await clientOf(policy).chat.completions.create({ ...asked, seed: 4, response_format: { type: "json_object" } });
      return policy.asked.map(({ random }) => random);
    }),
  );
  expect(streams[0]).toEqual(streams[1]);
});

test.each([
  [
    "lists are no objects",
    { response_format: { type: "json_object" } },
    "[1]",
    8,
    "json_invalid",
    /the JSON is not an object/u,
  ],
  [
    "greedy ones are drawn once",
    { response_format: { type: "json_object" }, temperature: 0 },
    "no",
    1,
    "json_invalid",
    /the text is not JSON/u,
  ],
  ["no tool", { tools: [look], tool_choice: "required" }, "no", 8, "tool_not_called", /no tool is called/u],
  [
    "another tool",
    { tools: [look], tool_choice: "required" },
    '<tool_call>\n{"name": "rm", "arguments": {}}\n</tool_call>',
    8,
    "tool_not_called",
    /it calls "rm"/u,
  ],
] as const)("fails by name if no reply keeps the rule: %s", async (_, change, text, draws, code, reason) => {
  const policy = saying(...Array.from({ length: 20 }, () => text));
  for (const stream of [false, true]) {
    const body = { ...asked, ...change, stream } as unknown as OpenAI.ChatCompletionCreateParams;
    const error: unknown = await clientOf(policy)
      .chat.completions.create(body)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 422, code, message: expect.stringMatching(reason) as string });
  }
  expect(policy.asked).toHaveLength(2 * draws);
});

test("calls a required tool on every interface", async () => {
  const says = (): LanguageModel => saying("no", toolCall);
  const named = { type: "function", function: { name: "look" } } as const;
  for (const choice of ["required", named] as const) {
    const { choices } = await clientOf(says()).chat.completions.create({
      ...asked,
      tools: [look],
      tool_choice: choice,
    });
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "look" } }]);
  }
  const response = await clientOf(says()).responses.create({
    model: "tiny",
    input: "say",
    tools: [{ ...lookTool, type: "function", strict: false }],
    tool_choice: { type: "function", name: "look" },
  });
  expect(response.output).toMatchObject([{ type: "function_call", name: "look" }]);
  const anthropic = anthropicOf(handlerOf(says()));
  const input_schema = { type: "object" as const };
  const message = await anthropic.messages.create({
    ...asked,
    max_tokens: 99,
    tools: [{ name: "look", input_schema }],
    tool_choice: { type: "any" },
  });
  expect(message.content).toMatchObject([{ type: "tool_use", name: "look" }]);
  const other = handlerOf(says());
  const models = createAnthropic({
    baseURL: "http://localhost/v1",
    apiKey: "none",
    fetch: (input, init) => other(new Request(input, init)),
  });
  const tools = {
    look: tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => Promise.resolve(key) }),
  };
  const { toolCalls } = await generateText({
    model: models("tiny"),
    prompt: "say",
    maxOutputTokens: 99,
    tools,
    toolChoice: "required",
  });
  expect(toolCalls).toMatchObject([{ toolName: "look", input: { key: "a" } }]);
});

test("a response fits its format, and every interface rejects schemas by name", async () => {
  const response = await clientOf(saying("no", "{}")).responses.create({
    model: "tiny",
    input: "say",
    text: { format: { type: "json_object" } },
  });
  expect([response.output_text, response.text?.format]).toEqual(["{}", { type: "json_object" }]);
  const policy = saying();
  const client = clientOf(policy);
  const format = { name: "answer", schema: { type: "object" } };
  const asks = [
    client.chat.completions.create({ ...asked, response_format: { type: "json_schema", json_schema: format } }),
    client.responses.create({ model: "tiny", input: "say", text: { format: { type: "json_schema", ...format } } }),
  ];
  for (const [i, param] of ["response_format.type", "text.format.type"].entries())
    await expect(asks[i]).rejects.toMatchObject({ status: 400, param });
  expect(policy.asked).toEqual([]);
});
