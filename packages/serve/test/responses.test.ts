import { createOpenAI } from "@ai-sdk/openai";
import { completionHandler, type CompletionHandler } from "@laconic/serve";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { lookingTeam, scripted, startGateway, toolCall } from "./tiny-gateway.ts";
import { looking, lookTool, openAiOf, weatherTeam } from "./surface-cases.ts";
import { serving, tinyModel, type ServerChange, type TinyModel } from "./tiny-server.ts";

let tiny: TinyModel;
beforeAll(async () => {
  tiny = await tinyModel();
});
afterAll(() => tiny.engine.close());

const handlerOf = (change: ServerChange = {}): CompletionHandler =>
  completionHandler(serving({ policy: tiny.policy, ...change }, () => undefined));

const look: OpenAI.Responses.FunctionTool = { ...lookTool, type: "function", strict: false };

test("a response says what the same chat says, whole and in events", async () => {
  const client = openAiOf(handlerOf());
  const input = [
    { role: "user" as const, content: "say" },
    { role: "assistant" as const, content: "ab" },
    { role: "user" as const, content: [{ type: "input_text" as const, text: "more" }] },
  ];
  const settings = { model: "tiny", temperature: 0.8, top_p: 0.9, seed: 5 };
  const chat = await client.chat.completions.create({
    ...settings,
    max_tokens: 9,
    messages: [
      { role: "system", content: "be" },
      { role: "user", content: "say" },
      { role: "assistant", content: "ab" },
      { role: "user", content: "more" },
    ],
  });
  const asked = { ...settings, instructions: "be", input, max_output_tokens: 9 };
  const whole = await client.responses.create(asked);
  expect(whole.output_text).toBe(chat.choices[0]?.message.content);
  expect(whole.usage).toMatchObject({
    input_tokens: chat.usage?.prompt_tokens,
    output_tokens: chat.usage?.completion_tokens,
    total_tokens: chat.usage?.total_tokens,
  });
  const isCut = chat.choices[0]?.finish_reason === "length";
  expect([whole.status, whole.incomplete_details]).toEqual(
    isCut ? ["incomplete", { reason: "max_output_tokens" }] : ["completed", null],
  );
  expect(whole).toMatchObject({ object: "response", instructions: "be", temperature: 0.8, top_p: 0.9 });

  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...asked, stream: true })) events.push(event);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i));
  const kinds = events.map(({ type }) => type);
  expect(kinds.filter((type, i) => type !== kinds[i - 1])).toEqual([
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

test.each([false, true])("calls of functions and their outputs go round (streamed: %s)", async (isStreamed) => {
  const client = openAiOf(handlerOf(looking));
  const ask = async (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> => {
    const asked = { model: "tiny", input, tools: [look], tool_choice: "auto" as const };
    return isStreamed ? client.responses.stream(asked).finalResponse() : client.responses.create(asked);
  };
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "what is a?" }];
  const first = await ask(input);
  expect(first.output).toMatchObject([
    { type: "message", content: [{ text: "I look." }] },
    { type: "function_call", name: "look", arguments: '{"key":"a"}', status: "completed" },
  ]);
  const called = first.output[1] as OpenAI.Responses.ResponseFunctionToolCall;
  const output = { type: "function_call_output" as const, call_id: called.call_id, output: "aseven" };
  const second = await ask([...input, ...(first.output as OpenAI.Responses.ResponseInputItem[]), output]);
  expect(second.output_text).toBe("it is aseven");
});

test("the AI SDK's own OpenAI provider runs its tools through it", async () => {
  const handler = handlerOf(looking);
  const models = createOpenAI({
    baseURL: "http://localhost/v1",
    apiKey: "none",
    fetch: (input, init) => handler(new Request(input, init)),
  });
  const tools = {
    look: tool({ inputSchema: z.object({ key: z.string() }), execute: ({ key }) => Promise.resolve(`${key}seven`) }),
  };
  const asked = {
    model: models("tiny"),
    prompt: "what is a?",
    tools,
    stopWhen: stepCountIs(3),
    providerOptions: { openai: { store: false } },
  };
  const { text, steps } = await generateText(asked);
  expect([text, steps.length]).toEqual(["it is aseven", 2]);
  expect(await streamText(asked).text).toBe("it is aseven");
});

test("a team answers, its calls go on, and the ledger stands in the usage", async () => {
  const client = openAiOf(completionHandler({ models: [weatherTeam] }));
  const asked = { model: "pair", tools: [{ ...look, name: "weather" }] };
  const question = { role: "user" as const, content: "city:rome" };
  const first = await client.responses.create({ ...asked, input: [question] });
  const call = first.output.find((each) => each.type === "function_call");
  expect(call).toMatchObject({ name: "weather", arguments: '{"of":"rome"}' });
  const answered = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "mild" };
  const input = [question, ...(first.output as OpenAI.Responses.ResponseInputItem[]), answered];
  const second = await client.responses.stream({ ...asked, input }).finalResponse();
  expect(second.output_text).toBe("mild");
  expect(second.usage).toMatchObject({
    laconic: { calls: 3, written_by_agent: { scout: expect.any(Number) as number } },
  });
});

test("rollouts through it train: later turns extend earlier ones in the tokens that were sampled", async () => {
  const gateway = await startGateway();
  const taken = gateway.gateway.take({ step: 0, models: lookingTeam });
  for (const [id, isStreamed] of [
    ["r1", false],
    ["r2", true],
  ] as const) {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "none", maxRetries: 0 });
    const metadata = { rollout_id: id, rollout_group: "g" };
    const ask = (input: OpenAI.Responses.ResponseInput): Promise<OpenAI.Responses.Response> => {
      const asked = { model: "scout", input, tools: [look], metadata };
      return isStreamed ? client.responses.stream(asked).finalResponse() : client.responses.create(asked);
    };
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "what is a?" }];
    const first = await ask(input);
    expect(first).toMatchObject({ system_fingerprint: "step-0" });
    const call = first.output.find((each) => each.type === "function_call");
    const output = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "aseven" };
    const second = await ask([...input, ...(first.output as OpenAI.Responses.ResponseInputItem[]), output]);
    expect(second.output_text).toBe("it is aseven");
    expect((await gateway.post(`/rollouts/${id}/reward`, { reward: 1 })).status).toBe(200);
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

test.each([
  ["an earlier response", { previous_response_id: "resp_1" }, "previous_response_id", /send the whole input/u],
  ["a store", { store: true }, "store", /nothing is stored/u],
  ["a tool of the provider", { tools: [{ type: "web_search" }] }, "tools.0.type", /only functions/u],
  ["reasoning", { reasoning: { effort: "low" } }, "reasoning.effort", /reasoning/u],
  ["tokens in words", { max_output_tokens: "9" }, "max_output_tokens", /number/u],
  ["an input of a number", { input: 7 }, "input", /list|text/u],
  ["an empty input", { input: [] }, "input", /empty/u],
  [
    "a reference",
    { input: [{ type: "item_reference", id: "x" }] },
    "input.0",
    /"item_reference" is not taken; message, /u,
  ],
  [
    "a picture",
    {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "a" },
            { type: "input_image", image_url: "b" },
          ],
        },
      ],
    },
    "input.0.content.1",
    /"input_image" is not taken; input_text, output_text are/u,
  ],
  ["a strange role", { input: [{ role: "robot", content: "a" }] }, "input.0.role", /user/u],
  [
    "a call without its id",
    { input: [{ type: "function_call", name: "f", arguments: "{}" }] },
    "input.0.call_id",
    /missing/u,
  ],
  ["an item of every object", { input: [{ type: "__proto__" }] }, "input.0", /is not taken/u],
  [
    "many calls of one reply",
    {
      input: Array.from({ length: 40_000 }, () => ({
        type: "function_call",
        call_id: "c",
        name: "f",
        arguments: "{}",
      })),
    },
    "input.128",
    /at most 128 calls/u,
  ],
  ["many numbers", { input: Array.from({ length: 300_000 }, () => 1) }, "input.0", /group of/u],
  ["a list of models", { model: ["tiny"] }, "model", /a text/u],
] as const)("%s is refused by name", async (_, change, place, reason) => {
  const client = openAiOf(handlerOf(looking));
  const asked = { model: "tiny", input: "say", ...change } as unknown as OpenAI.Responses.ResponseCreateParams;
  const error: unknown = await client.responses.create(asked).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  expect(error).toMatchObject({ param: place, message: expect.stringMatching(reason) as string });
});

test("a failure in the middle of a stream is the client's error, not the end of a reply", async () => {
  const failing = scripted(() => "ab");
  const policy = {
    ...failing,
    complete: async (request: Parameters<typeof failing.complete>[0]) => {
      await failing.complete(request);
      await new Promise((done) => setTimeout(done, 20));
      throw new Error("inside");
    },
  };
  const client = openAiOf(handlerOf({ ...looking, policy }));
  const read = async (): Promise<string[]> => {
    const kinds: string[] = [];
    for await (const { type } of await client.responses.create({ model: "tiny", input: "say", stream: true }))
      kinds.push(type);
    return kinds;
  };
  await expect(read()).rejects.toThrow(/the server failed/u);
});
