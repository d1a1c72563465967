import type { CompletionRequest, LanguageModel } from "@laconic/core";
import { graphTopology, hermesTools, inEnvironment, jsonTools } from "@laconic/topologies";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { closeServer, completionHandler, type CompletionServerOptions, type ServedTeam } from "@laconic/serve";
import { hermesCall, reading, scoutAndSolver } from "./surface-cases.ts";
import { startServer } from "./tiny-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const answersIn = (read: string): string[] =>
  Array.from(read.matchAll(/<tool_response>\n(.*)\n<\/tool_response>/gu), (match) => match[1] as string);

/** Asks for the weather of every city in the question, then says what it heard. */
const solver = (read: string): string => {
  const heard = answersIn(read);
  const cities = Array.from(read.matchAll(/city:(\w+)/gu), (match) => match[1] as string);
  return heard.length > 0
    ? heard.join(" and ")
    : `wait ${cities.map((city) => hermesCall("weather", { city })).join("")}`;
};

const tools = [
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: {} } } } },
] satisfies OpenAI.ChatCompletionTool[];

async function served(
  change: Partial<ServedTeam> = {},
  limits: Pick<CompletionServerOptions, "waiting"> = {},
): Promise<{ readonly url: string; readonly client: OpenAI; readonly errors: unknown[] }> {
  const models = { scout: reading(() => "hint"), solver: reading(solver) };
  const team = {
    name: "team",
    topology: scoutAndSolver,
    models,
    sampling: { temperature: 1 },
    tools: hermesTools(),
    ...change,
  };
  const { server, url, errors } = await startServer({ models: [team], maxBodyBytes: 100_000, ...limits });
  closing.push(() => closeServer(server, 0));
  return { url, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }), errors };
}

type Messages = OpenAI.ChatCompletionMessageParam[];
const question: Messages = [{ role: "user", content: "city:Rome city:Oslo" }];
const base = { model: "team", tools } as const;
const callsOf = ({ choices }: OpenAI.ChatCompletion): string[] =>
  (choices[0]?.message.tool_calls ?? []).map(({ id }) => id);
const answered = (reply: OpenAI.ChatCompletion, contents: readonly string[], before: Messages = question): Messages => [
  ...before,
  reply.choices[0]?.message as OpenAI.ChatCompletionMessage,
  ...contents.map((content, i) => ({ role: "tool" as const, tool_call_id: callsOf(reply)[i] ?? "none", content })),
];
const waitingAt = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/health`)).json()) as { waiting: number }).waiting;

test("who answers calls the caller's tools, and the same episode goes on with what they answer", async () => {
  const asked: CompletionRequest[] = [];
  const scout = reading(() => `hint ${hermesCall("weather", { city: "Bern" })}`, asked);
  const { client, url } = await served({ models: { scout, solver: reading(solver) } });
  const first = await client.chat.completions.create({ ...base, messages: question });
  expect(first.choices).toMatchObject([
    {
      finish_reason: "tool_calls",
      message: {
        content: "wait",
        tool_calls: [
          { type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
          { type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      laconic: { calls: "solver", messages: [{ agent: "scout" }, { agent: "solver" }] },
    },
  ]);
  expect(await waitingAt(url)).toBe(1);
  const second = await client.chat.completions.create({ ...base, messages: answered(first, ["hot", "cold"]) });
  expect(second.choices).toMatchObject([
    {
      finish_reason: "stop",
      message: { content: "hot and cold" },
      laconic: { messages: [{ agent: "solver", text: "hot and cold" }] },
    },
  ]);
  // The scout spoke once, was told of no tools, and what it wrote called none.
  expect(asked).toHaveLength(1);
  expect(asked[0]?.prompt).toEqual({ kind: "messages", messages: [{ role: "user", content: "city:Rome city:Oslo " }] });
  expect(await waitingAt(url)).toBe(0);
  const [begun, ended] = [first.usage, second.usage] as unknown as {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly laconic: {
      readonly calls: number;
      readonly written_by_agent: Record<string, number>;
      read_tokens: number;
    };
  }[];
  // Sums are of a request, the ledger is of the episode.
  expect([begun?.laconic.calls, ended?.laconic.calls]).toEqual([2, 3]);
  expect(ended?.completion_tokens).toBe("hot and cold".length + 1);
  const written = Object.values(ended?.laconic.written_by_agent ?? {}).reduce((sum, each) => sum + each, 0);
  expect(written).toBe((begun?.completion_tokens ?? 0) + (ended?.completion_tokens ?? 0));
  expect(ended?.laconic.read_tokens).toBeGreaterThan(0);
});

test("a stream ends at the calls, and another one goes on behind them", async () => {
  const { client } = await served();
  const chunksOf = async (messages: Messages): Promise<OpenAI.ChatCompletionChunk[]> => {
    const all: OpenAI.ChatCompletionChunk[] = [];
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.chat.completions.create({ ...base, messages, ...options })) all.push(chunk);
    return all;
  };
  const first = await chunksOf(question);
  const calls = first.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  expect(calls.map(({ index, function: called }) => [index, called?.arguments])).toEqual([
    [0, '{"city":"Rome"}'],
    [1, '{"city":"Oslo"}'],
  ]);
  expect(first.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["tool_calls"]);
  expect(first.flatMap((chunk) => ("laconic" in chunk ? [chunk.laconic] : []))).toMatchObject([
    { agent: "scout", text: "hint" },
    { agent: "solver" },
    { calls: "solver" },
  ]);
  expect(first.at(-1)?.usage?.completion_tokens).toBeGreaterThan(0);
  const second = await chunksOf([
    ...question,
    {
      role: "assistant",
      tool_calls: calls.map(({ id = "", function: called }) => ({
        id,
        type: "function",
        function: { name: called?.name ?? "", arguments: called?.arguments ?? "" },
      })),
    },
    // In another order than the calls.
    ...calls
      .map(({ id = "", index }) => ({ role: "tool" as const, tool_call_id: id, content: `t${index}` }))
      .toReversed(),
  ]);
  expect(second.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("t0 and t1");
});

test("the AI SDK runs its tools for the team, without a server", async () => {
  const models = { scout: reading(() => "hint"), solver: reading(solver) };
  const team = { name: "team", topology: scoutAndSolver, models, sampling: { temperature: 1 }, tools: hermesTools() };
  const handler = completionHandler({ models: [team] });
  const provider = createOpenAICompatible({
    name: "laconic",
    baseURL: "http://localhost/v1",
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const weather = tool({
    description: "The weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => Promise.resolve(`sun in ${city}`),
  });
  const { text, steps } = await generateText({
    model: provider("team"),
    prompt: "city:Rome city:Oslo",
    tools: { weather },
    stopWhen: stepCountIs(3),
  });
  expect([text, steps.length]).toEqual(["sun in Rome and sun in Oslo", 2]);
});

test("calls are answered together and once; what is refused leaves the episode waiting", async () => {
  const { client, url } = await served();
  const first = await client.chat.completions.create({ ...base, messages: question });
  const send = (messages: Messages, more: object = {}): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({ ...base, messages, ...more });
  const both = answered(first, ["hot", "cold"]);
  const [, said, hot, cold] = both as [unknown, Messages[0], Messages[0], Messages[0]];
  const stranger = { role: "tool", tool_call_id: "call_none", content: "" } as const;
  const forged = {
    role: "assistant",
    tool_calls: [{ id: "call_none", type: "function", function: { name: "weather", arguments: "{}" } }],
  } as const;
  for (const [messages, more, reason] of [
    [[...question, said, hot], {}, /400 every call needs its answer in one request: call_\w+ has none/u],
    [[...question, said, hot, hot, cold], {}, /has two answers/u],
    [[...question, said, hot, cold, stranger], {}, /"call_none" is none of the calls before it/u],
    [[...question, forged, stranger], {}, /410 no episode waits for call "call_none"/u],
    [[...question, said], {}, /the last calls have no answers/u],
    [[...question, hot, cold], {}, /answers stand before their calls/u],
    [[...both, { role: "user", content: "and now?" }], {}, /a message of the user stands behind a call/u],
    [answered(first, ["hot", "cold"], [{ role: "user", content: "city:Bern" }]), {}, /goes on as it began/u],
    [both, { temperature: 0.1 }, /goes on as it began/u],
    [both, { n: 2 }, /n: an episode goes on as one/u],
  ] as const)
    await expect(send(messages as unknown as Messages, more)).rejects.toThrow(reason);
  expect(await waitingAt(url)).toBe(1);
  const [one, other] = await Promise.allSettled([send(both), send(both)]);
  expect([one.status, other.status].toSorted()).toEqual(["fulfilled", "rejected"]);
  await expect(send(both)).rejects.toThrow(/410 no episode waits for calls .* answered already/u);
});

test("one call in each of two requests: the episode stops at every call", async () => {
  const eachAlone = (read: string): string => {
    const heard = answersIn(read);
    return heard.length < 2 ? hermesCall("weather", { city: ["Rome", "Oslo"][heard.length] }) : heard.join(",");
  };
  const { client } = await served({ models: { scout: reading(() => ""), solver: reading(eachAlone) } });
  const first = await client.chat.completions.create({ ...base, messages: question });
  const [before, ids] = [answered(first, ["hot"]), callsOf(first)];
  const second = await client.chat.completions.create({ ...base, messages: before });
  expect(callsOf(second)).not.toEqual(ids);
  const third = await client.chat.completions.create({ ...base, messages: answered(second, ["cold"], before) });
  expect(third.choices[0]?.message.content).toBe("hot,cold");
});

test("a caller who never comes back costs neither memory nor time", async () => {
  const { client, url, errors } = await served({}, { waiting: { maxEpisodes: 2, maxSeconds: 0.3 } });
  const replies: OpenAI.ChatCompletion[] = [];
  for (let i = 0; i < 4; i++) replies.push(await client.chat.completions.create({ ...base, messages: question }));
  expect(await waitingAt(url)).toBeLessThanOrEqual(2);
  const [oldest] = replies as [OpenAI.ChatCompletion];
  await expect(client.chat.completions.create({ ...base, messages: answered(oldest, ["a", "b"]) })).rejects.toThrow(
    /410/u,
  );
  await expect.poll(() => waitingAt(url), { timeout: 5000 }).toBe(0);
  expect(errors).toEqual([]);
});

test("hanging up in the middle ends the episode", async () => {
  let isHeard = false;
  const hangs: LanguageModel = {
    id: "hangs",
    complete: ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          isHeard = true;
          reject(signal.reason as Error);
        });
      }),
  };
  const first = reading(solver);
  let calls = 0;
  const then: LanguageModel = { id: "then", complete: (request) => (calls++ === 0 ? first : hangs).complete(request) };
  const { client, url, errors } = await served({ models: { scout: reading(() => "hint"), solver: then } });
  const reply = await client.chat.completions.create({ ...base, messages: question });
  const messages = answered(reply, ["hot", "cold"]);
  const controller = new AbortController();
  const going = client.chat.completions.create({ ...base, messages }, { signal: controller.signal });
  await expect.poll(() => calls).toBe(2);
  controller.abort();
  await expect(going).rejects.toThrow(/abort/u);
  await expect.poll(() => isHeard).toBe(true);
  expect(await waitingAt(url)).toBe(0);
  await expect(client.chat.completions.create({ ...base, messages })).rejects.toThrow(/410/u);
  expect(errors).toEqual([]);
});

test("a request says who may call; without tools, or with none chosen, a call is text", async () => {
  const scout = reading((read) => answersIn(read)[0] ?? hermesCall("weather", { city: "Bern" }));
  const { client } = await served({ models: { scout, solver: reading(() => hermesCall("weather", {})) } });
  const ask = (more: object): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({ model: "team", messages: question, ...more });
  const scouts = { tools, tool_agents: ["scout"] };
  const first = await ask(scouts);
  expect(first.choices[0]).toMatchObject({ finish_reason: "tool_calls", laconic: { calls: "scout" } });
  const second = await ask({ ...scouts, messages: answered(first, ["snow"]) });
  expect(second.choices[0]).toMatchObject({
    laconic: { messages: [{ agent: "scout", text: "snow" }, { agent: "solver" }] },
  });
  const texts = await Promise.all([ask({}), ask({ tools, tool_choice: "none" })]);
  expect(texts.map(({ choices }) => choices[0]?.finish_reason)).toEqual(["stop", "length"]);
});

test.each([
  [{ tool_agents: ["nobody"], tools }, {}, /tool_agents: team has no agent "nobody"; it has scout, solver/u],
  [{ tool_agents: ["scout"] }, {}, /tool_agents: the request has no tools/u],
  [{ tools: [...tools, ...tools] }, {}, /tools: "weather" is there twice/u],
  [{ tools, tool_choice: "required" }, {}, /tool_choice: a team's agents choose themselves/u],
  [{ tools }, { tools: undefined }, /tools: team takes none/u],
] as const)("a team refuses %j", async (body, change, message) => {
  const { client } = await served(change as Partial<ServedTeam>);
  await expect(
    client.post("/chat/completions", { body: { model: "team", messages: question, ...body } }),
  ).rejects.toThrow(message);
});

test("agents that read no chat cannot be told of tools", async () => {
  const texts = graphTopology({
    name: "texts",
    rounds: 1,
    agents: [{ id: "solver", role: "", maxTokens: 9, prompt: ({ question: text }) => ({ kind: "text", text }) }],
    answer: { name: "", agents: ["solver"], choose: (all) => all[0] ?? null },
  });
  const { client } = await served({ topology: texts, models: { solver: reading(() => "") } });
  await expect(client.chat.completions.create({ ...base, messages: question })).rejects.toThrow(/400 .*reads no chat/u);
});

test("a team keeps its own tools and their format beside the caller's", async () => {
  const made: string[] = [];
  const own = inEnvironment(scoutAndSolver, {
    name: "own",
    format: jsonTools(),
    tools: (agent) => (agent === "solver" ? [{ name: "double" }] : []),
    reset: () => null,
    step: (_, { calls }) => {
      made.push(...calls.map(({ name }) => name));
      return calls.length === 0 ? {} : { observation: calls.map(() => "14") };
    },
  });
  const lines = (read: string): string =>
    read.includes("warm")
      ? read.split("|").slice(-2).join(" ")
      : '{"name": "weather", "arguments": {"city": "Rome"}}\n{"name": "double", "arguments": {"a": 7}}';
  const { client } = await served({ topology: own, models: { scout: reading(() => ""), solver: reading(lines) } });
  const first = await client.chat.completions.create({ ...base, messages: question });
  expect([callsOf(first).length, made]).toEqual([1, ["double"]]);
  const second = await client.chat.completions.create({ ...base, messages: answered(first, ["warm"]) });
  // In the order of the calls.
  expect(second.choices[0]?.message.content).toBe("warm 14");
  const twice = [{ type: "function" as const, function: { name: "double" } }];
  await expect(client.chat.completions.create({ ...base, tools: twice, messages: question })).rejects.toThrow(
    /the team's own/u,
  );
});
