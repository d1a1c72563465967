import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import type { CompletionRequest, LanguageModel } from "@laconic/core";
import { completionHandler, hermesTools, type CompletionHandler } from "@laconic/serve";
import { generateText, tool } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { lookTool, openAiOf } from "./surface-cases.ts";
import { scripted, tokenizer, toolCall } from "./tiny-gateway.ts";
import { serving } from "./tiny-server.ts";

/** Says one text after the other. */
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
const schema = {
  type: "object",
  properties: { a: { $ref: "#/$defs/count" }, b: { anyOf: [{ type: "string", minLength: 2 }, { type: "null" }] } },
  required: ["a", "b"],
  additionalProperties: false,
  $defs: { count: { type: "integer", minimum: 3 } },
};
const json = (given: object = schema) =>
  ({
    type: "json_schema",
    json_schema: { name: "answer", schema: given as Record<string, unknown>, strict: true },
  }) as const;
const fits = '{"a":3,"b":null}';
const look: OpenAI.ChatCompletionTool = { type: "function", function: lookTool };

test.each([false, true])(
  "a reply that breaks the schema is drawn again, from another stream (streamed: %s)",
  async (stream) => {
    const bad = ["no json", '{"a":2,"b":null}', '{"a":3,"b":"x"}', '{"a":3,"b":null,"c":1}'];
    const policy = saying(...bad, fits);
    const client = clientOf(policy);
    const format = { ...asked, response_format: json() };
    const { choices, usage } = stream
      ? await client.chat.completions
          .stream({ ...format, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(format);
    expect(choices[0]?.message.content).toBe(fits);
    expect(new Set(policy.asked.map(({ random }) => random.join())).size).toBe(bad.length + 1);
    // With the end token of each draw.
    expect(usage?.completion_tokens).toBe(
      [...bad, fits].reduce((sum, text) => sum + tokenizer.encode(text).length + 1, 0),
    );
  },
);

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
    /the JSON is no object/u,
  ],
  ["of a schema", { response_format: json() }, '{"a":1}', 8, "json_invalid", /does not fit the schema at #/u],
  [
    "greedy ones are drawn once",
    { response_format: json(), temperature: 0 },
    "no",
    1,
    "json_invalid",
    /the text is no JSON/u,
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
] as const)(
  "where no reply keeps the rule the request fails by name: %s",
  async (_, change, text, draws, code, reason) => {
    const policy = saying(...Array.from({ length: 20 }, () => text));
    for (const stream of [false, true]) {
      const body = { ...asked, ...change, stream } as unknown as OpenAI.ChatCompletionCreateParams;
      const error: unknown = await clientOf(policy)
        .chat.completions.create(body)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 422, code, message: expect.stringMatching(reason) as string });
    }
    expect(policy.asked).toHaveLength(2 * draws);
  },
);

test("a tool that must be called is called, on every surface", async () => {
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
  const handler = handlerOf(says());
  const anthropic = new Anthropic({
    baseURL: "http://localhost",
    apiKey: "none",
    fetch: (input, init) => handler(new Request(input, init)),
  });
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
    fetch: (given, init) => other(new Request(given, init)),
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

test("the text of a response fits its format", async () => {
  const response = await clientOf(saying("no", fits)).responses.create({
    model: "tiny",
    input: "say",
    text: { format: { type: "json_schema", name: "answer", schema } },
  });
  expect(response.output_text).toBe(fits);
  expect(response.text?.format).toMatchObject({ type: "json_schema", name: "answer" });
});

const doubled = {
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      i === 39 ? {} : { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  ),
};

test.each([
  ["an expression", json({ type: "string", pattern: "(a+)+$" }), /schema\.pattern: regular expressions/u],
  ["a schema elsewhere", json({ $ref: "http://localhost/s" }), /\$ref: it names nothing/u],
  ["a reference to nothing", json({ properties: { a: { $ref: "#/$defs/a" } } }), /a\.\$ref: it names nothing/u],
  ["a circle", json({ $ref: "#" }), /cannot be followed/u],
  ["references without end", json(doubled), /cannot be followed: it takes more than/u],
  ["no schema", { type: "json_schema", json_schema: { name: "a" } }, /schema: it is missing/u],
] as const)("%s is refused before anything is drawn", async (_, format, reason) => {
  const policy = saying();
  const body = { ...asked, response_format: format } as unknown as OpenAI.ChatCompletionCreateParams;
  const error: unknown = await clientOf(policy)
    .chat.completions.create(body)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 400, message: expect.stringMatching(reason) as string });
  expect(policy.asked).toEqual([]);
});

const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
/** Each level is held against the whole four times. */
const doubling = Object.fromEntries(["if", "then", "else"].map((key) => [key, { prefixItems: [{ $ref: "#" }] }]));
const many = (part: object, length = 5000): object => ({ items: { allOf: Array.from({ length }, () => part) } });

test.each([
  ["a schema that doubles with each level", doubling, deep(60)],
  ["the same where it is not so", { ...doubling, else: { not: { $ref: "#" } } }, deep(60)],
  ["many schemas on many values", many({ type: "integer" }), `[${"0,".repeat(3000)}0]`],
  ["pairs of many values", { uniqueItems: true }, `[${Array.from({ length: 4000 }, (_, i) => `[${i}]`).join()}]`],
  ["many schemas on a long text", many({ minLength: 1, format: "uri" }), JSON.stringify(["a".repeat(300_000)])],
  [
    "many names that many values may have",
    many({ enum: [...Array.from({ length: 500 }, String), 1] }, 100),
    `[${"1,".repeat(999)}1]`,
  ],
])("%s ends in a refusal, and holds nobody up", { timeout: 60_000 }, async (_, given, reply) => {
  const request = new Request("http://localhost/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ ...asked, response_format: json(given) }),
    headers: { "content-type": "application/json" },
  });
  const response = await handlerOf(saying(reply))(request);
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("steps to hold a reply")]);
});

test("a long reply and a large schema are within the steps", async () => {
  const row = {
    type: "object",
    properties: { id: { type: "integer" }, name: { type: "string", maxLength: 40 } },
    required: ["id"],
  };
  const reply = JSON.stringify({ rows: Array.from({ length: 3000 }, (_, id) => ({ id, name: `name ${id}` })) });
  const given = {
    type: "object",
    properties: { rows: { type: "array", uniqueItems: false, items: { $ref: "#/$defs/row" } } },
    $defs: { row },
  };
  const { choices } = await clientOf(saying(reply)).chat.completions.create({ ...asked, response_format: json(given) });
  expect(choices[0]?.message.content).toBe(reply);
});
