import Anthropic from "@anthropic-ai/sdk";
import { completionHandler } from "@laconic/serve";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { anthropicOf, looking, openAiOf } from "./surface-cases.ts";
import { serving } from "./tiny-server.ts";

const handler = completionHandler(serving(looking, () => undefined));
const many = Array.from({ length: 300_000 }, () => 1);

test.each([
  ["an earlier response", { previous_response_id: "resp_1" }, "previous_response_id", /send the whole input/u],
  ["a store", { store: true }, "store", /stores nothing/u],
  ["a tool of the provider", { tools: [{ type: "web_search" }] }, "tools.0.type", /expected function/u],
  ["reasoning", { reasoning: { effort: "low" } }, "reasoning.effort", /reasoning/u],
  ["tokens in words", { max_output_tokens: "9" }, "max_output_tokens", /number/u],
  ["an input of a number", { input: 7 }, "input", /list|text/u],
  ["an empty input", { input: [] }, "input", /at least one/u],
  [
    "a reference",
    { input: [{ type: "item_reference", id: "x" }] },
    "input.0",
    /unknown type "item_reference"; expected message/u,
  ],
  [
    "a picture",
    { input: [{ role: "user", content: [{ type: "input_text", text: "a" }, { type: "input_image" }] }] },
    "input.0.content.1",
    /"input_image"; expected input_text, output_text/u,
  ],
  ["a strange role", { input: [{ role: "robot", content: "a" }] }, "input.0.role", /user/u],
  ["no id", { input: [{ type: "function_call", name: "f", arguments: "{}" }] }, "input.0.call_id", /missing/u],
  ["an item of every object", { input: [{ type: "__proto__" }] }, "input.0", /unknown type/u],
  [
    "many calls of one reply",
    { input: many.slice(0, 40_000).map(() => ({ type: "function_call", call_id: "c", name: "f", arguments: "{}" })) },
    "input.128",
    /at most 128 calls/u,
  ],
  ["many numbers", { input: many }, "input.0", /group of/u],
  ["a list of models", { model: ["tiny"] }, "model", /a text/u],
] as const)("Responses reject by name: %s", async (_, change, location, reason) => {
  const asked = { model: "tiny", input: "say", ...change } as unknown as OpenAI.Responses.ResponseCreateParams;
  const error: unknown = await openAiOf(handler)
    .responses.create(asked)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  expect(error).toMatchObject({ param: location, message: expect.stringMatching(reason) as string });
});

const say = { role: "user", content: "say" };
const image = { type: "image", source: { type: "url", url: "http://localhost/a.png" } };
const use = { type: "tool_use", id: "a", name: "f", input: "{}" };
const result = { type: "tool_result", tool_use_id: "x", content: [image] };

test.each([
  [
    "a picture",
    { messages: [{ role: "user", content: [{ type: "text", text: "a" }, image] }] },
    "messages.0.content.1",
    /"image"; expected text, tool_result/u,
  ],
  [
    "a picture as a result",
    { messages: [{ role: "user", content: [result] }] },
    "messages.0.content.0.content.0",
    /"image"; expected text/u,
  ],
  ["thoughts", { thinking: { type: "enabled", budget_tokens: 1024 } }, "thinking.type", /separate thinking/u],
  ["a provider's tool", { tools: [{ type: "bash_20250124", name: "bash" }] }, "tools.0.type", /expected custom/u],
  ["a reply that was begun", { messages: [say, { role: "assistant", content: "A" }] }, "messages", /not continued/u],
  ["a system message", { messages: [{ role: "system", content: "be" }] }, "messages.0.role", /user/u],
  ["no messages", { messages: [] }, "messages", /too short|at least|empty/u],
  ["no tokens", { max_tokens: undefined }, "max_tokens", /missing/u],
  ["many numbers", { messages: many }, "messages.0", /group of/u],
  [
    "an input that is no object",
    { messages: [say, { role: "assistant", content: [use] }] },
    "messages.1.content.0.input",
    /expected an object/u,
  ],
] as const)("Messages reject by name: %s", async (_, change, location, reason) => {
  const asked = { model: "tiny", max_tokens: 9, messages: [say], ...change };
  const error: unknown = await anthropicOf(handler)
    .messages.create(asked as unknown as Anthropic.MessageCreateParams)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  const message = expect.stringMatching(reason) as string;
  expect(error).toMatchObject({
    error: { type: "error", error: { type: "invalid_request_error", param: location, message } },
  });
});
