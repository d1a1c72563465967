import { expect, test } from "vitest";
import { readReply } from "./read-reply.ts";
import { readRequest } from "./read-request.ts";

const sse = (...events: readonly object[]): string =>
  `${events.map((event) => `event: x\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join("")}data: [DONE]\r\n\r\n`;
const chunk = (delta: object, more: object = {}): object => ({ id: "c", model: "m", choices: [{ delta }], ...more });
const response = {
  id: "resp_1",
  model: "m",
  output: [
    { type: "reasoning", summary: [] },
    { type: "message", content: [{ type: "output_text", text: "It is 4." }] },
    { type: "function_call", name: "look", arguments: "{}" },
  ],
  usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 3 }, output_tokens: 5, total_tokens: 14 },
};
const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const call = { index: 0, id: "1", function: { name: "look", arguments: "{}" } };

test.each([
  ["chat", JSON.stringify({ model: "m", choices: [{ message: { content: "It is 4." } }], usage }), "It is 4.", 0, 9, 4],
  [
    "chat stream",
    sse(chunk({ role: "assistant", content: "It " }), chunk({ content: "is 4." }), { id: "c", choices: [], usage }),
    "It is 4.",
    0,
    9,
    4,
  ],
  [
    "chat stream with a tool",
    sse(
      chunk({ tool_calls: [{ ...call, function: { name: "look", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }, { usage }),
    ),
    "{}",
    1,
    9,
    4,
  ],
  ["completions", JSON.stringify({ model: "m", choices: [{ text: "It is 4." }], usage }), "It is 4.", 0, 9, 4],
  ["responses", JSON.stringify(response), "It is 4.\n{}", 1, 9, 5],
  [
    "responses stream",
    sse(
      { type: "response.created", response: { ...response, output: [], usage: null } },
      { type: "response.output_text.delta", delta: "It is 4." },
      { type: "response.output_text.done", text: "It is 4." },
      { type: "response.completed", response },
    ),
    "It is 4.\n{}",
    1,
    9,
    5,
  ],
  [
    "messages",
    JSON.stringify({
      model: "m",
      content: [
        { type: "text", text: "It is 4." },
        { type: "tool_use", name: "look", input: { a: 1 } },
      ],
      usage: { input_tokens: 4, cache_read_input_tokens: 5, output_tokens: 4 },
    }),
    'It is 4.\n{"a":1}',
    1,
    9,
    4,
  ],
  [
    "messages stream",
    sse(
      { type: "message_start", message: { model: "m", content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It is 4." } },
      { type: "content_block_start", index: 1, content_block: { type: "tool_use", name: "look", input: {} } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
    ),
    'It is 4.{"a":1}',
    1,
    9,
    4,
  ],
  [
    "ollama lines",
    `{"model":"m","message":{"content":"It is"},"done":false}\n{"model":"m","message":{"content":" 4."},"done":true,"prompt_eval_count":9,"eval_count":4}\n`,
    "It is 4.",
    0,
    9,
    4,
  ],
  [
    "gemini",
    JSON.stringify({
      modelVersion: "m",
      candidates: [{ content: { parts: [{ text: "It is 4." }, { functionCall: { name: "look" } }] } }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
    }),
    "It is 4.",
    1,
    9,
    4,
  ],
])("reads text, tool calls and tokens of %s", (_, body, text, toolCalls, promptTokens, completionTokens) => {
  const reply = readReply(body);
  expect(reply).toMatchObject({ model: "m", text, toolCalls });
  expect(reply.usage).toMatchObject({ promptTokens, completionTokens });
});

test("a reply without counts, or of another kind, has no usage", () => {
  for (const body of ["", "<html>", "{}", "[1]", JSON.stringify({ error: { message: "no" } }), "data: [DONE]"])
    expect(readReply(body)).toMatchObject({ text: "", toolCalls: 0, usage: null });
});

test.each([
  [
    "chat",
    {
      messages: [
        { role: "developer", content: "rules" },
        { role: "user", content: [{ type: "text", text: "ask" }, { type: "image_url" }] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", content: "found" },
      ],
    },
  ],
  [
    "responses",
    {
      instructions: "rules",
      input: [
        { role: "user", content: [{ type: "input_text", text: "ask" }] },
        { type: "function_call", arguments: "{}" },
        { type: "function_call_output", output: "found" },
      ],
    },
  ],
  [
    "messages",
    {
      system: [{ type: "text", text: "rules", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "ask" },
        { role: "assistant", content: [{ type: "tool_use", input: {} }] },
        { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "found" }] }] },
      ],
    },
  ],
])("reads the parts of a request of %s", (_, body) => {
  const request = readRequest(JSON.stringify({ model: "m", metadata: { agent: "a" }, ...body }), "/v1/x");
  expect(request).toMatchObject({ model: "m", metadata: { agent: "a" } });
  expect(request?.parts.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    "system: rules",
    "user: ask",
    "assistant: {}",
    "tool: found",
  ]);
});
