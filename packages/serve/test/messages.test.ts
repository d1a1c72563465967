import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import type { CompletionRequest } from "@laconic/core";
import { completionHandler, type CompletionHandler } from "@laconic/serve";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { looking, lookTool, openAiOf, reading, weatherTeam } from "./surface-cases.ts";
import { lookingTeam, scripted, startGateway, toolCall } from "./tiny-gateway.ts";
import { serving, tinyModel, type ServerChange, type TinyModel } from "./tiny-server.ts";

let tiny: TinyModel;
beforeAll(async () => {
  tiny = await tinyModel();
});
afterAll(() => tiny.engine.close());

const handlerOf = (change: ServerChange = {}): CompletionHandler =>
  completionHandler(serving({ policy: tiny.policy, ...change }, () => undefined));

const clientOf = (handler: CompletionHandler, apiKey = "none"): Anthropic =>
  new Anthropic({
    baseURL: "http://localhost",
    apiKey,
    maxRetries: 0,
    fetch: (input, init) => handler(new Request(input, init)),
  });

const look: Anthropic.Tool = {
  name: lookTool.name,
  description: lookTool.description,
  input_schema: { ...lookTool.parameters, type: "object" },
};
const say: Anthropic.MessageParam[] = [{ role: "user", content: "say" }];

test("a message says what the same chat says, whole and in events", async () => {
  const handler = handlerOf();
  const openai = openAiOf(handler);
  const settings = { model: "tiny", temperature: 0.8, max_tokens: 9, seed: 5 };
  const chat = await openai.chat.completions.create({
    ...settings,
    messages: [
      { role: "system", content: "be" },
      { role: "user", content: "say" },
    ],
  });
  const asked = {
    ...settings,
    system: [{ type: "text" as const, text: "be", cache_control: { type: "ephemeral" as const } }],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "say" }] }],
  };
  const client = clientOf(handler);
  const whole = await client.messages.create(asked);
  const text = chat.choices[0]?.message.content;
  expect(whole).toMatchObject({
    type: "message",
    role: "assistant",
    content: [{ type: "text", text }],
    stop_reason: chat.choices[0]?.finish_reason === "length" ? "max_tokens" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: chat.usage?.prompt_tokens, output_tokens: chat.usage?.completion_tokens },
  });

  const events: Anthropic.RawMessageStreamEvent[] = [];
  for await (const event of await client.messages.create({ ...asked, stream: true })) events.push(event);
  const kinds = events.map(({ type }) => type);
  expect(kinds.filter((type, i) => type !== kinds[i - 1])).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(kinds.filter((type) => type === "content_block_delta").length).toBeGreaterThan(1);
  const final = await client.messages.stream(asked).finalMessage();
  expect([final.content, final.stop_reason, final.usage]).toMatchObject([
    whole.content,
    whole.stop_reason,
    whole.usage,
  ]);
});

test("a stop sequence ends a reply, and is named", async () => {
  const client = clientOf(handlerOf());
  const greedy = { model: "tiny", max_tokens: 20, messages: say, temperature: 0 };
  const plain = await client.messages.create(greedy);
  const text = plain.content[0]?.type === "text" ? plain.content[0].text : "";
  const stop = text.slice(1, 3);
  const asked = { ...greedy, stop_sequences: ["zzzz", stop] };
  const ended = { stop_reason: "stop_sequence", stop_sequence: stop };
  expect(stop).toHaveLength(2);
  expect(await client.messages.create(asked)).toMatchObject(ended);
  expect(await client.messages.stream(asked).finalMessage()).toMatchObject(ended);
});

test.each([false, true])("tools are used and their results go round (streamed: %s)", async (isStreamed) => {
  const client = clientOf(handlerOf(looking));
  const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
    const asked = { model: "tiny", max_tokens: 99, messages, tools: [look], tool_choice: { type: "auto" as const } };
    return isStreamed ? client.messages.stream(asked).finalMessage() : client.messages.create(asked);
  };
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "what is a?" }];
  const first = await ask(messages);
  expect(first).toMatchObject({
    stop_reason: "tool_use",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", name: "look", input: { key: "a" } },
    ],
  });
  const used = first.content[1] as Anthropic.ToolUseBlock;
  const result = { type: "tool_result" as const, tool_use_id: used.id, content: "aseven" };
  const second = await ask([
    ...messages,
    { role: "assistant", content: first.content },
    { role: "user", content: [result, { type: "text", text: "go on" }] },
  ]);
  expect(second).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "it is aseven" }] });
});

test("the input of a call keeps its digits and the order of its keys, from the model and back to it", async () => {
  const input = '{"10":9007199254740993,"2":1.0}';
  const call = `<tool_call>\n{"name": "look", "arguments": ${input}}\n</tool_call>`;
  const asked: CompletionRequest[] = [];
  const handler = handlerOf({ ...looking, policy: reading(() => call, asked) });
  const ask = async (...messages: readonly string[]): Promise<string> => {
    const body = `{"model":"tiny","max_tokens":99,"tools":${JSON.stringify([look])},"messages":[${messages.join()}]}`;
    const headers = { "content-type": "application/json" };
    return (await handler(new Request("http://localhost/v1/messages", { method: "POST", headers, body }))).text();
  };
  const user = '{"role":"user","content":"what?"}';
  expect(await ask(user)).toContain(`"input":${input}`);
  const use = `{"role":"assistant","content":[{"input":${input},"name":"look","id":"a","type":"tool_use"}]}`;
  await ask(user, use, '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"seven"}]}');
  const { prompt } = asked.at(-1) as CompletionRequest;
  expect(prompt.kind === "messages" && prompt.messages.map(({ content }) => content)).toContain(
    call.replaceAll(/(?<=[:,])(?=\S)/gu, " "),
  );
});

test("the AI SDK's own Anthropic provider runs its tools through it", async () => {
  const handler = handlerOf(looking);
  const models = createAnthropic({
    baseURL: "http://localhost/v1",
    apiKey: "none",
    fetch: (input, init) => handler(new Request(input, init)),
  });
  const tools = {
    look: tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => Promise.resolve(`${key}seven`) }),
  };
  const asked = { model: models("tiny"), prompt: "what is a?", tools, stopWhen: stepCountIs(3), maxOutputTokens: 99 };
  const { text, steps } = await generateText(asked);
  expect([text, steps.length]).toEqual(["it is aseven", 2]);
  expect(await streamText(asked).text).toBe("it is aseven");
});

test("a team answers, its calls go on, and the ledger stands in the usage", async () => {
  const client = clientOf(completionHandler({ models: [weatherTeam] }));
  const asked = { model: "pair", max_tokens: 400, tools: [{ ...look, name: "weather" }] };
  const question = { role: "user" as const, content: "city:rome" };
  const first = await client.messages.create({ ...asked, messages: [question] });
  const used = first.content.find((each) => each.type === "tool_use");
  expect(used).toMatchObject({ name: "weather", input: { of: "rome" } });
  const result = {
    type: "tool_result" as const,
    tool_use_id: used?.id ?? "",
    content: [{ type: "text", text: "mild" }],
  };
  const messages = [
    question,
    { role: "assistant", content: first.content },
    { role: "user", content: [result] },
  ] as Anthropic.MessageParam[];
  const second = await client.messages.create({ ...asked, messages });
  expect(second).toMatchObject({
    content: [{ type: "text", text: "mild" }],
    usage: { laconic: { calls: 3, written_by_agent: { scout: expect.any(Number) as number } } },
    laconic: { messages: [{ agent: "solver", text: "mild" }] },
  });
});

test("rollouts through it train: later turns extend earlier ones in the tokens that were sampled", async () => {
  const gateway = await startGateway();
  const taken = gateway.gateway.take({ step: 0, models: lookingTeam });
  for (const [id, isStreamed] of [
    ["r1", false],
    ["r2", true],
  ] as const) {
    const client = new Anthropic({ baseURL: `${gateway.url}/v1/rollouts/${id}`, apiKey: "none", maxRetries: 0 });
    const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
      const asked = { model: "scout", max_tokens: 99, messages, tools: [look] };
      return isStreamed ? client.messages.stream(asked).finalMessage() : client.messages.create(asked);
    };
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "what is a?" }];
    const first = await ask(messages);
    expect(first).toMatchObject({ system_fingerprint: "step-0" });
    const used = first.content.find((each) => each.type === "tool_use");
    const result = { type: "tool_result" as const, tool_use_id: used?.id ?? "", content: "aseven" };
    await ask([...messages, { role: "assistant", content: first.content }, { role: "user", content: [result] }]);
    expect((await gateway.post(`/rollouts/${id}/reward`, { reward: 1, group: "g" })).status).toBe(200);
  }
  const episodes = (await taken)?.groups[0]?.episodes ?? [];
  expect(gateway.gateway.status()).toMatchObject({ prompts: { first: 2, extended: 2 }, foreign: 0 });
  for (const { episode } of episodes) {
    const [first, second] = episode.utterances;
    expect(first?.text).toBe(`I look. ${toolCall}`);
    const whole = [...(first?.trace?.promptTokens ?? []), ...(first?.trace?.tokens ?? [])];
    expect(second?.trace?.promptTokens.slice(0, whole.length)).toEqual(whole);
  }
});

test("metadata and the user's id say what a rollout belongs to", async () => {
  const gateway = await startGateway();
  void gateway.gateway.take({ step: 0, models: lookingTeam });
  const client = new Anthropic({ baseURL: gateway.url, apiKey: "none", maxRetries: 0 });
  const ask = (metadata: object): Promise<unknown> =>
    client.messages.create({ model: "solver", max_tokens: 9, messages: say, metadata });
  await ask({ rollout_id: "r1", rollout_group: "g" });
  await ask({ user_id: "rollout:r2" });
  await expect(ask({})).rejects.toMatchObject({
    status: 400,
    error: { type: "error", error: { type: "invalid_request_error", param: "rollout" } },
  });
  expect(gateway.gateway.status().open).toBe(2);
});

test("a key comes by x-api-key or as a bearer's, and refusals have Anthropic's form", async () => {
  const handler = handlerOf({ apiKey: "secret" });
  const asked = { model: "tiny", max_tokens: 2, messages: say };
  expect((await clientOf(handler, "secret").messages.create(asked)).role).toBe("assistant");
  for (const [key, status, type] of [
    ["secrets", 401, "authentication_error"],
    ["secret", 404, "not_found_error"],
  ] as const)
    await expect(clientOf(handler, key).messages.create({ ...asked, model: "other" })).rejects.toMatchObject({
      status,
      type,
      error: { type: "error", error: { type, message: expect.any(String) as string } },
    });
});

const image = { type: "image", source: { type: "url", url: "http://localhost/a.png" } };

test.each([
  [
    "a picture",
    { messages: [{ role: "user", content: [{ type: "text", text: "a" }, image] }] },
    "messages.0.content.1",
    /"image" is not taken; text, tool_result are/u,
  ],
  [
    "a picture as a result",
    { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: [image] }] }] },
    "messages.0.content.0.content.0",
    /"image" is not taken; text is/u,
  ],
  ["thoughts", { thinking: { type: "enabled", budget_tokens: 1024 } }, "thinking.type", /do not think/u],
  [
    "a tool of the provider",
    { tools: [{ type: "bash_20250124", name: "bash" }] },
    "tools.0.type",
    /only custom tools/u,
  ],
  ["a reply that was begun", { messages: [...say, { role: "assistant", content: "A" }] }, "messages", /not continued/u],
  ["a system message", { messages: [{ role: "system", content: "be" }] }, "messages.0.role", /user/u],
  ["no messages", { messages: [] }, "messages", /too short|at least|empty/u],
  ["no tokens", { max_tokens: undefined }, "max_tokens", /missing/u],
  ["many numbers", { messages: Array.from({ length: 300_000 }, () => 1) }, "messages.0", /group of/u],
  [
    "an input that is no object",
    { messages: [...say, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: "{}" }] }] },
    "messages.1.content.0.input",
    /group of/u,
  ],
] as const)("%s is refused by name", async (_, change, place, reason) => {
  const asked = { model: "tiny", max_tokens: 9, messages: say, ...change } as unknown as Anthropic.MessageCreateParams;
  const error: unknown = await clientOf(handlerOf(looking))
    .messages.create(asked)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect(error).toMatchObject({
    error: {
      type: "error",
      error: { type: "invalid_request_error", param: place, message: expect.stringMatching(reason) as string },
    },
  });
});

test("a failure in the middle of a stream is the client's error, not the end of a reply", async () => {
  const said = scripted(() => "ab");
  const policy = {
    ...said,
    complete: async (request: Parameters<typeof said.complete>[0]) => {
      await said.complete(request);
      await new Promise((done) => setTimeout(done, 20));
      throw new Error("inside");
    },
  };
  const stream = clientOf(handlerOf({ ...looking, policy })).messages.stream({
    model: "tiny",
    max_tokens: 9,
    messages: say,
  });
  await expect(stream.finalMessage()).rejects.toThrow(/the server failed/u);
});
