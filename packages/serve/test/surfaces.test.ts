import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import type { CompletionRequest } from "@laconic/core";
import { completionHandler, type CompletionHandler } from "@laconic/serve";
import { generateText, stepCountIs, streamText, tool, type LanguageModel } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { anthropicOf, looking, lookTool, openAiOf, reading, reportingTeam } from "./surface-cases.ts";
import { lookingTeam, scripted, startGateway, toolCall } from "./tiny-gateway.ts";
import { serving, modelOfFile, type ServerChange } from "./tiny-server.ts";

const tiny = await modelOfFile();

const handlerOf = (change: ServerChange = {}): CompletionHandler =>
  completionHandler(serving({ policy: tiny.policy, ...change }, () => undefined));

const look: Anthropic.Tool = {
  name: lookTool.name,
  description: lookTool.description,
  input_schema: { ...lookTool.parameters, type: "object" },
};
const lookFunction: OpenAI.Responses.FunctionTool = { ...lookTool, type: "function", strict: false };
const say: Anthropic.MessageParam[] = [{ role: "user", content: "say" }];

interface Said {
  readonly text: string;
  readonly call: { readonly name: string; readonly input: unknown } | null;
  readonly whole: object;
}

interface Chat {
  ask(question: string): Promise<Said>;
  answer(result: string): Promise<Said>;
}

interface Asked {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly rollout?: string;
}

function responsesChat(client: OpenAI, { model, isStreamed, rollout }: Asked): Chat {
  const input: OpenAI.Responses.ResponseInput = [];
  let callId = "";
  const send = async (item: OpenAI.Responses.ResponseInputItem): Promise<Said> => {
    input.push(item);
    const metadata = rollout === undefined ? {} : { metadata: { rollout_id: rollout, rollout_group: "g" } };
    const asked = { model, input, tools: [lookFunction], tool_choice: "auto" as const, ...metadata };
    const whole: OpenAI.Responses.Response = isStreamed
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked);
    input.push(...(whole.output as OpenAI.Responses.ResponseInputItem[]));
    const call = whole.output.find(
      (element): element is OpenAI.Responses.ResponseFunctionToolCall => element.type === "function_call",
    );
    callId = call?.call_id ?? "";
    return {
      text: whole.output_text,
      call: call ? { name: call.name, input: JSON.parse(call.arguments) as unknown } : null,
      whole,
    };
  };
  return {
    ask: (content) => send({ role: "user", content }),
    answer: (output) => send({ type: "function_call_output", call_id: callId, output }),
  };
}

function messagesChat(client: Anthropic, { model, isStreamed }: Asked): Chat {
  const messages: Anthropic.MessageParam[] = [];
  let callId = "";
  const send = async (content: Anthropic.MessageParam["content"]): Promise<Said> => {
    messages.push({ role: "user", content });
    const asked = {
      model,
      max_tokens: 400,
      messages,
      tools: [look],
      tool_choice: { type: "auto" as const },
    };
    const whole = isStreamed ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
    messages.push({ role: "assistant", content: whole.content });
    const text = whole.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const call = whole.content.find((block) => block.type === "tool_use");
    callId = call?.id ?? "";
    return { text, call: call ? { name: call.name, input: call.input } : null, whole };
  };
  return {
    ask: (question) => send(question),
    answer: (result) => send([{ type: "tool_result", tool_use_id: callId, content: [{ type: "text", text: result }] }]),
  };
}

const askingOf = (handler: CompletionHandler) => ({
  baseURL: "http://localhost/v1",
  apiKey: "none",
  fetch: async (...[input, init]: Parameters<typeof fetch>) => handler(new Request(input, init)),
});

const surfaces = {
  responses: {
    chat: (handler: CompletionHandler, asked: Asked) => responsesChat(openAiOf(handler), asked),
    remote: (url: string, asked: Asked) =>
      responsesChat(new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }), asked),
    provider: (handler: CompletionHandler): LanguageModel => createOpenAI(askingOf(handler))("tiny"),
    called: { status: "completed" },
  },
  messages: {
    chat: (handler: CompletionHandler, asked: Asked) => messagesChat(anthropicOf(handler), asked),
    remote: (url: string, asked: Asked) =>
      messagesChat(
        new Anthropic({ baseURL: `${url}/v1/rollouts/${asked.rollout}`, apiKey: "none", maxRetries: 0 }),
        asked,
      ),
    provider: (handler: CompletionHandler): LanguageModel => createAnthropic(askingOf(handler))("tiny"),
    called: { stop_reason: "tool_use" },
  },
} as const;

const bothWays = (["responses", "messages"] as const).flatMap((name) =>
  [false, true].map((isStreamed) => ({ name, isStreamed })),
);

test.each(bothWays)("$name: passes tool calls and results (streamed: $isStreamed)", async (way) => {
  const { chat: open, called } = surfaces[way.name];
  const chat = open(handlerOf(looking), { model: "tiny", isStreamed: way.isStreamed });
  const first = await chat.ask("what is a?");
  expect(first).toMatchObject({ text: "I look.", call: { name: "look", input: { key: "a" } }, whole: called });
  expect(await chat.answer("aseven")).toMatchObject({ text: "it is aseven", call: null });
});

test.each(["responses", "messages"] as const)("%s: a team answers with its ledger in the usage", async (name) => {
  const handler = completionHandler({ models: [reportingTeam] });
  const whole =
    name === "responses"
      ? await openAiOf(handler).responses.create({ model: "pair", input: "how is rome?" })
      : await anthropicOf(handler).messages.create({ model: "pair", max_tokens: 400, messages: say });
  const text = name === "responses" ? { output_text: "mild" } : { content: [{ type: "text", text: "mild" }] };
  const ledger = { calls: 2, written_by_agent: { scout: 5, solver: 5 } };
  const messages = ["scout", "solver"].map((agent) => ({ agent, text: "mild" }));
  expect(whole).toMatchObject({ ...text, usage: { laconic: ledger }, laconic: { messages } });
});

test.each(["responses", "messages"] as const)("%s: the AI SDK's own provider runs its tools", async (name) => {
  const tools = {
    look: tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => Promise.resolve(`${key}seven`) }),
  };
  const asked = {
    model: surfaces[name].provider(handlerOf(looking)),
    prompt: "what is a?",
    tools,
    stopWhen: stepCountIs(3),
    maxOutputTokens: 99,
    providerOptions: { openai: { store: false } },
  };
  const { text, steps } = await generateText(asked);
  expect([text, steps.length]).toEqual(["it is aseven", 2]);
  expect(await streamText(asked).text).toBe("it is aseven");
});

test.each(["responses", "messages"] as const)(
  "%s: rollouts train, and later turns extend the sampled tokens",
  async (name) => {
    const gateway = await startGateway();
    const taken = gateway.gateway.take({ step: 0, models: lookingTeam });
    for (const [i, rollout] of ["r1", "r2"].entries()) {
      const asked = { model: "scout", isStreamed: i === 1, rollout };
      const chat = surfaces[name].remote(gateway.url, asked);
      expect((await chat.ask("what is a?")).whole).toMatchObject({ system_fingerprint: "step-0" });
      expect((await chat.answer("aseven")).text).toBe("it is aseven");
      const { status } = await gateway.post(`/rollouts/${rollout}/reward`, { reward: 1, group: "g" });
      expect(status).toBe(200);
    }
    const episodes = (await taken)?.groups[0]?.episodes ?? [];
    expect(gateway.gateway.status()).toMatchObject({ prompts: { first: 2, extended: 2 }, foreign: 0 });
    expect(episodes).toHaveLength(2);
    for (const { episode } of episodes) {
      const [first, second] = episode.utterances;
      expect(first?.text).toBe(`I look. ${toolCall}`);
      const whole = [...(first?.trace?.promptTokens ?? []), ...(first?.trace?.tokens ?? [])];
      expect(second?.trace?.promptTokens.slice(0, whole.length)).toEqual(whole);
    }
  },
);

test("a failure during a stream is an error for the client, not an end", async () => {
  const writer = scripted(() => "ab");
  const policy = {
    ...writer,
    complete: async (request: CompletionRequest) => {
      await writer.complete(request);
      await new Promise((done) => setTimeout(done, 20));
      throw new Error("inside");
    },
  };
  const handler = handlerOf({ ...looking, policy });
  const read = async (): Promise<void> => {
    const asked = { model: "tiny", input: "say", stream: true } as const;
    for await (const event of await openAiOf(handler).responses.create(asked)) void event;
  };
  await expect(read()).rejects.toThrow(/the server failed/u);
  const stream = anthropicOf(handler).messages.stream({ model: "tiny", max_tokens: 9, messages: say });
  await expect(stream.finalMessage()).rejects.toThrow(/the server failed/u);
});

const settings = { model: "tiny", temperature: 0.8, seed: 5 };
const chatMessages = [
  { role: "system" as const, content: "be" },
  { role: "user" as const, content: "say" },
];
const kindsOf = (events: readonly { readonly type: string }[]): string[] =>
  events.map(({ type }) => type).filter((type, i) => type !== events[i - 1]?.type);

test("a response equals the same chat, whole and in events", async () => {
  const client = openAiOf(handlerOf());
  const chat = await client.chat.completions.create({ ...settings, max_tokens: 9, messages: chatMessages });
  const input = [{ role: "user" as const, content: [{ type: "input_text" as const, text: "say" }] }];
  const asked = { ...settings, instructions: "be", input, max_output_tokens: 9 };
  const whole = await client.responses.create(asked);
  const { prompt_tokens, completion_tokens, total_tokens } = chat.usage as OpenAI.CompletionUsage;
  const isCut = chat.choices[0]?.finish_reason === "length";
  expect(whole).toMatchObject({
    object: "response",
    output_text: chat.choices[0]?.message.content,
    instructions: "be",
    temperature: 0.8,
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    usage: { input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens },
  });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...asked, stream: true })) events.push(event);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i));
  expect(kindsOf(events)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    isCut ? "response.incomplete" : "response.completed",
  ]);
  const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
  expect(deltas.length).toBeGreaterThan(1);
  expect(deltas.join("")).toBe(whole.output_text);
  const final = await client.responses.stream(asked).finalResponse();
  expect([final.output_text, final.usage]).toEqual([whole.output_text, whole.usage]);
});

test("a message equals the same chat, whole and in events", async () => {
  const handler = handlerOf();
  const chat = await openAiOf(handler).chat.completions.create({ ...settings, max_tokens: 9, messages: chatMessages });
  const asked = {
    ...settings,
    max_tokens: 9,
    system: [{ type: "text" as const, text: "be", cache_control: { type: "ephemeral" as const } }],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "say" }] }],
  };
  const client = anthropicOf(handler);
  const whole = await client.messages.create(asked);
  expect(whole).toMatchObject({
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: chat.choices[0]?.message.content }],
    stop_reason: chat.choices[0]?.finish_reason === "length" ? "max_tokens" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: chat.usage?.prompt_tokens, output_tokens: chat.usage?.completion_tokens },
  });
  const events: Anthropic.RawMessageStreamEvent[] = [];
  for await (const event of await client.messages.create({ ...asked, stream: true })) events.push(event);
  expect(kindsOf(events)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events.filter(({ type }) => type === "content_block_delta").length).toBeGreaterThan(1);
  const { content, stop_reason, usage } = await client.messages.stream(asked).finalMessage();
  expect({ content, stop_reason, usage }).toMatchObject({
    content: whole.content,
    stop_reason: whole.stop_reason,
    usage: whole.usage,
  });
});

test("Messages: a stop sequence ends a reply and is named", async () => {
  const client = anthropicOf(handlerOf());
  const greedy = { model: "tiny", max_tokens: 20, messages: say, temperature: 0 };
  const [block] = (await client.messages.create(greedy)).content;
  const stop = block?.type === "text" ? block.text.slice(1, 3) : "";
  const asked = { ...greedy, stop_sequences: ["zzzz", stop] };
  const ended = { stop_reason: "stop_sequence", stop_sequence: stop };
  expect(stop).toHaveLength(2);
  expect(await client.messages.create(asked)).toMatchObject(ended);
  expect(await client.messages.stream(asked).finalMessage()).toMatchObject(ended);
});

test("Messages: a call's input keeps digits and key order in both directions", async () => {
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

test("Messages: metadata and user id name a rollout; errors have Anthropic's format", async () => {
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
  const handler = handlerOf({ apiKey: "secret" });
  const asked = { model: "tiny", max_tokens: 2, messages: say };
  expect((await anthropicOf(handler, "secret").messages.create(asked)).role).toBe("assistant");
  for (const [key, status, type] of [
    ["secrets", 401, "authentication_error"],
    ["secret", 404, "not_found_error"],
  ] as const)
    await expect(anthropicOf(handler, key).messages.create({ ...asked, model: "other" })).rejects.toMatchObject({
      status,
      type,
      error: { type: "error", error: { type, message: expect.any(String) as string } },
    });
});
