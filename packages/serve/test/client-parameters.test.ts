import { completionHandler, hermesTools, type CompletionHandler } from "@laconic/serve";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { anthropicOf, openAiOf } from "./surface-cases.ts";
import { scripted, startGateway, tokenizer, toolCall } from "./tiny-gateway.ts";
import { serving } from "./tiny-server.ts";

const handlerOf = (...texts: readonly string[]): CompletionHandler => {
  const left = [...texts];
  const policy = scripted(() => left.shift() ?? "said");
  return completionHandler(
    serving({ policy, tokenizer, contextLength: 4096, maxBodyBytes: 1 << 20, tools: hermesTools() }, () => undefined),
  );
};

const asked = { model: "tiny", messages: [{ role: "user" as const, content: "say" }] };

const nothing = Object.fromEntries(
  `temperature top_p n seed stop stream tools tool_choice
  parallel_tool_calls response_format logprobs logit_bias metadata reasoning_effort`
    .split(/\s+/u)
    .map((name) => [name, null]),
);
const idle = {
  logit_bias: {},
  modalities: ["text"],
  service_tier: "auto",
  store: false,
  metadata: { a: "b" },
  safety_identifier: "me",
  parallel_tool_calls: true,
  reasoning_effort: "none",
  verbosity: "medium",
  stream_options: { include_obfuscation: false },
  stop: "",
};

test.each([
  ["null", nothing],
  ["at the value that asks for nothing", idle],
])("parameters that are %s have no effect, also in training", async (_, input) => {
  const body = { ...asked, ...input } as OpenAI.ChatCompletionCreateParamsNonStreaming;
  const [served] = (await openAiOf(handlerOf()).chat.completions.create(body)).choices;
  expect(served).toMatchObject({ message: { content: "said" }, finish_reason: "stop" });
  expect(served).not.toMatchObject({ stop_reason: "" });
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models: { scout: scripted(() => "said"), solver: scripted(() => "no") } });
  const client = new OpenAI({ baseURL: `${tiny.url}/v1/rollouts/r`, apiKey: "none", maxRetries: 0 });
  const { metadata: _label, ...rest } = body;
  expect((await client.chat.completions.create({ ...rest, model: "scout" })).choices[0]?.message.content).toBe("said");
});

test("Responses and Messages accept their equivalents", async () => {
  const responses = await openAiOf(handlerOf()).responses.create({
    model: "tiny",
    input: "say",
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "none" },
    service_tier: "auto",
    safety_identifier: "me",
    prompt_cache_key: "k",
    ...({ max_tool_calls: 3 } as object), // which the client does not know by type
    text: { verbosity: "medium" },
  });
  expect(responses.output_text).toBe("said");
  const message = await anthropicOf(handlerOf()).messages.create({ ...asked, max_tokens: 9, service_tier: "auto" });
  expect(message.content).toEqual([{ type: "text", text: "said" }]);
});

const parameters = { type: "object", properties: { key: { type: "string" } }, required: ["key"] };

test("returns tool calls as written, strict or not, served and in training", async () => {
  const call = '<tool_call>\n{"name": "look", "arguments": {"key": 1}}\n</tool_call>';
  const tools = [{ type: "function" as const, function: { name: "look", parameters, strict: true } }];
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models: { scout: scripted(() => call), solver: scripted(() => "no") } });
  const training = new OpenAI({ baseURL: `${tiny.url}/v1/rollouts/r`, apiKey: "none", maxRetries: 0 });
  for (const client of [openAiOf(handlerOf(call)), training]) {
    const model = client === training ? "scout" : "tiny";
    const { choices } = await client.chat.completions.create({ ...asked, model, tools });
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"key":1}' } });
  }
});

const calling = {
  role: "assistant" as const,
  content: null,
  tool_calls: [{ id: "c1", type: "function" as const, function: { name: "look", arguments: "{}" } }],
};
const answer = (id: string): OpenAI.ChatCompletionToolMessageParam => ({
  role: "tool",
  tool_call_id: id,
  content: "3",
});

test.each([
  ["an answer twice", [calling, answer("c1"), answer("c1")], "messages.3.tool_call_id", /"c1" already has an answer/u],
  ["an answer to nothing", [answer("c9")], "messages.1.tool_call_id", /call "c9" not found/u],
  ["a user who says nothing", [{ role: "user", content: null }], "messages.1.content", /a text, not null/u],
  ["a role that is none", [{ role: "king", content: "x" }], "messages.1.role", /system, developer, user, assistant/u],
])("rejects %s with its place", async (_, more, param, message) => {
  const messages = [...asked.messages, ...more] as OpenAI.ChatCompletionMessageParam[];
  await expect(openAiOf(handlerOf()).chat.completions.create({ ...asked, messages })).rejects.toMatchObject({
    status: 400,
    param,
    message: expect.stringMatching(message),
  });
});

test("a repeated call with the same id can be answered again", async () => {
  const messages = [...asked.messages, calling, answer("c1"), calling, answer("c1")];
  expect((await openAiOf(handlerOf()).chat.completions.create({ ...asked, messages })).choices).toHaveLength(1);
});

test("an address without /v1 gets a hint, and unknown models OpenAI's code", async () => {
  const tiny = await startGateway();
  const to = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
  const fails = async (path: string, code: string | null, message: RegExp): Promise<void> => {
    const wrong = to(`${tiny.url}${path}`).chat.completions.create({ ...asked, model: "nobody" });
    await expect(wrong).rejects.toMatchObject({ status: 404, code, message: expect.stringMatching(message) });
  };
  await fails("/v1/v1", null, /path \/v1\/v1\/chat\/completions not found; .* path is \/v1\/chat\/completions/u);
  void tiny.gateway.take({ step: 0, models: {} });
  await fails("/v1/rollouts/r", "model_not_found", /model nobody not found; available: scout, solver/u);
  for (const path of ["/v1", "/v1/rollouts/r"]) {
    expect(await to(`${tiny.url}${path}`).models.retrieve("scout")).toMatchObject({ id: "scout", max_model_len: 4096 });
    await expect(to(`${tiny.url}${path}`).models.retrieve("nobody")).rejects.toMatchObject({ code: "model_not_found" });
  }
  expect((await tiny.get("/rollouts/r/responses/resp_1")).status).toBe(404);
  const served = handlerOf();
  const lost = await served(new Request("http://localhost/chat/completions", { method: "POST" }));
  expect(await lost.json()).toMatchObject({
    error: { message: expect.stringContaining("path is /v1/chat/completions") },
  });
});

test("a repeated idempotency key returns one reply with its calls and rejects another request", async () => {
  const tiny = await startGateway();
  let drawn = 0;
  const scout = scripted(() => `${drawn++} ${toolCall}`);
  void tiny.gateway.take({ step: 0, models: { scout, solver: scripted(() => "no") } });
  const client = new OpenAI({ baseURL: `${tiny.url}/v1/rollouts/r`, apiKey: "none", maxRetries: 0 });
  const tools = [{ type: "function" as const, function: { name: "look", parameters } }];
  const key = { headers: { "idempotency-key": "once" } };
  const ask = { ...asked, model: "scout", tools };
  const first = await client.chat.completions.create(ask, key);
  const again = await client.chat.completions.create(ask, key);
  expect(again.choices).toEqual(first.choices);
  const streamed = await client.chat.completions.stream(ask, key).finalChatCompletion();
  expect(streamed.choices[0]?.message.tool_calls?.[0]?.id).toBe(first.choices[0]?.message.tool_calls?.[0]?.id);
  expect((await tiny.get("/rollouts/r")).body.replies).toHaveLength(1);
  const other = { ...ask, messages: [{ role: "user" as const, content: "else" }] };
  await expect(client.chat.completions.create(other, key)).rejects.toMatchObject({
    status: 400,
    code: "idempotency_key_differs",
  });
});

test("a reply to a disconnected client is not part of the rollout", async () => {
  const tiny = await startGateway();
  const leaving = new AbortController();
  let left = (): void => undefined;
  const gone = new Promise<void>((done) => (left = done));
  const scout = scripted(() => "late");
  const slow: typeof scout = {
    ...scout,
    async complete(request) {
      leaving.abort();
      await new Promise((done) => request.signal?.addEventListener("abort", done, { once: true }));
      left();
      return scout.complete(request); // it was written all the same
    },
  };
  void tiny.gateway.take({ step: 0, models: { scout: slow, solver: scripted(() => "no") } });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ ...asked, model: "scout" });
  const { signal } = leaving;
  await fetch(`${tiny.url}/v1/rollouts/r/chat/completions`, { method: "POST", headers, body, signal }).catch(
    () => null,
  );
  await gone;
  expect((await tiny.get("/rollouts/r")).body.replies).toEqual([]);
  expect(tiny.errors).toEqual([]);
});
