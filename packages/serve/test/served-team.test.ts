import { type CompletionRequest, type LanguageModel, LaconicError } from "@laconic/core";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { inEnvironment, jsonTools } from "@laconic/topologies";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { closeServer, completionHandler, type ServedTeam } from "@laconic/serve";
import { reading, scoutAndSolver } from "./surface-cases.ts";
import { startServer, tokenizer } from "./tiny-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const models = { scout: reading((read) => read.trim()), solver: reading((read) => read) };
const pair: ServedTeam = { name: "team", topology: scoutAndSolver, models, sampling: { temperature: 0.6 } };

async function served(change: Partial<ServedTeam> = {}): Promise<{ url: string; client: OpenAI; errors: unknown[] }> {
  const seat = { name: "team/scout", policy: models.scout, tokenizer, contextLength: 64 };
  const { server, url, errors } = await startServer({ models: [{ ...pair, ...change }, seat] });
  closing.push(() => closeServer(server, 0));
  return { url, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }), errors };
}

const question = { role: "user", content: "k?" } as const;
const replies = [
  { agent: "scout", text: "k?", tokens: 3 },
  { agent: "solver", text: "k? k?", tokens: 6 },
];
const ledger = {
  calls: 2,
  read_tokens: expect.any(Number) as number,
  written_by_agent: { scout: 3, solver: 6 },
  read_by_agent: { scout: 0, solver: expect.any(Number) as number },
};

test("a team answers a chat with the ledger in usage and each agent's message", async () => {
  const { client } = await served();
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["team", "team/scout"]);
  const { choices, usage } = await client.chat.completions.create({ model: "team", messages: [question] });
  expect(choices).toMatchObject([
    { message: { role: "assistant", content: "k? k?" }, finish_reason: "stop", laconic: { messages: replies } },
  ]);
  expect(usage).toMatchObject({ completion_tokens: 9, laconic: ledger });
  expect((usage as unknown as { laconic: { read_tokens: number } }).laconic.read_tokens).toBeGreaterThan(0);
  const seat = await client.chat.completions.create({ model: "team/scout", messages: [question] });
  expect(seat.choices[0]?.finish_reason).toBe("stop");
});

test("a streamed answer sends each message as its agent ends", async () => {
  const { client } = await served();
  const stream = await client.chat.completions.create({ model: "team", messages: [question], stream: true });
  const spoken: unknown[] = [];
  let text = "";
  for await (const chunk of stream) {
    if ("laconic" in chunk) spoken.push(chunk.laconic);
    text += chunk.choices[0]?.delta.content ?? "";
  }
  expect([spoken, text]).toEqual([replies, "k? k?"]);
});

test("works as an AI SDK model with the ledger in usage, without a server", async () => {
  const handler = completionHandler({ models: [pair] });
  const team = createOpenAICompatible({
    name: "laconic",
    baseURL: "http://localhost/v1",
    includeUsage: true,
    fetch: (url, init) => handler(new Request(url, init)),
  })("team");
  const { text, usage } = await generateText({ model: team, prompt: "k?" });
  expect([text, usage.outputTokens, usage.raw]).toMatchObject(["k? k?", 9, { laconic: ledger }]);
  const streamed = streamText({ model: team, prompt: "k?", includeRawChunks: true });
  const spoken: unknown[] = [];
  for await (const part of streamed.fullStream)
    if (part.type === "raw" && typeof part.rawValue === "object" && part.rawValue && "laconic" in part.rawValue)
      spoken.push(part.rawValue.laconic);
  expect(spoken).toEqual(replies);
  expect((await streamed.usage).raw).toMatchObject({ laconic: ledger });
});

test("a request's sampling replaces the run's, and its token limit covers the team", async () => {
  const asked: CompletionRequest[] = [];
  const { client } = await served({ models: { scout: reading(() => "a", asked), solver: reading(() => "b", asked) } });
  const ask = (more: object): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({ model: "team", messages: [question], ...more });
  await ask({ top_p: 0.5 });
  await ask({ temperature: 0, max_tokens: 40, n: 2 });
  expect(asked.map(({ sampling: { temperature, topP } }) => [temperature, topP])).toEqual([
    ...Array.from({ length: 2 }, () => [0.6, 0.5]),
    ...Array.from({ length: 4 }, () => [0, undefined]),
  ]);
  for (const { sampling } of asked.slice(2)) expect(sampling.maxTokens).toBeLessThanOrEqual(40);
});

test("views reach their agents, and the team's world poses a question without views", async () => {
  const asked: (readonly [string, Readonly<Record<string, string>> | undefined])[] = [];
  const topology: ServedTeam["topology"] = {
    ...scoutAndSolver,
    run(problem, context) {
      asked.push([problem.question, problem.views]);
      return scoutAndSolver.run(problem, context);
    },
  };
  const problemOf = (text: string): ReturnType<NonNullable<ServedTeam["problemOf"]>> => {
    if (!text.includes(".")) throw new LaconicError("input_invalid", "less than two facts");
    const [fact = "", rest = ""] = text.split(".");
    return { id: "dealt", question: rest.trim(), gold: "", views: { scout: fact } };
  };
  const { client } = await served({ topology, problemOf });
  const ask = (...messages: OpenAI.ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({ model: "team", messages });
  await ask({ role: "user", name: "scout", content: "k6" }, question);
  await ask({ role: "user", content: "k7. k?" });
  expect(asked).toEqual([
    ["k?", { scout: "k6" }],
    ["k?", { scout: "k7" }],
  ]);
  await expect(ask(question)).rejects.toThrow(/400 less than two facts/u);
});

test("a team uses its own tools", async () => {
  const made: string[] = [];
  const topology = inEnvironment(scoutAndSolver, {
    name: "own",
    format: jsonTools(),
    tools: (agent) => (agent === "solver" ? [{ name: "double" }] : []),
    reset: () => null,
    step: (_, { calls }) => {
      made.push(...calls.map(({ name }) => name));
      return calls.length === 0 ? {} : { observation: calls.map(() => "14") };
    },
  });
  const solver = reading((read) => (read.includes("14") ? "it is 14" : '{"name": "double", "arguments": {"a": 7}}'));
  const { client } = await served({ topology, models: { ...models, solver } });
  const { choices } = await client.chat.completions.create({ model: "team", messages: [question] });
  expect([choices[0]?.message.content, made]).toEqual(["it is 14", ["double"]]);
});

test("a hang-up ends the episode", async () => {
  let hasEnded = false;
  const hangs: LanguageModel = {
    id: "hangs",
    complete: ({ signal }) =>
      new Promise((_, reject) =>
        signal?.addEventListener("abort", () => {
          hasEnded = true;
          reject(signal.reason as Error);
        }),
      ),
  };
  const { client, url, errors } = await served({ models: { ...models, solver: hangs } });
  const leaving = new AbortController();
  const asked = { model: "team", messages: [question] };
  const pending = client.chat.completions.create(asked, { signal: leaving.signal });
  await expect.poll(async () => (await fetch(`${url}/health`)).json()).toMatchObject({ running: 1 });
  leaving.abort();
  await expect(pending).rejects.toThrow(/abort/u);
  await expect.poll(() => hasEnded).toBe(true);
  expect(errors).toEqual([]);
});

const tools = [{ type: "function", function: { name: "look" } }];
const view = { role: "user", name: "scout", content: "k6" };

test.each([
  [{ messages: [{ role: "system", content: "be short" }, question] }, /a team answers one question/u],
  [{ messages: [question, question] }, /one message without a name .*got 2/u],
  [{ messages: [view] }, /one message without a name .*got 0/u],
  [{ messages: [{ role: "user", name: "nobody", content: "" }, question] }, /agent "nobody" not found/u],
  [{ messages: [view, view, question] }, /messages\.1\.name: scout already has a view/u],
  [{ messages: [question], logprobs: true }, /logprobs/u],
  [{ messages: [question], tools }, /tools: a team uses only its own tools/u],
  [{ messages: [question], model: "other" }, /404 model other not found; available: team, team\/scout/u],
] as const)("a team rejects %j", async (body, message) => {
  const { client } = await served();
  await expect(client.post("/chat/completions", { body: { model: "team", ...body } })).rejects.toThrow(message);
});

test("a team rejects text completions", async () => {
  const { client } = await served();
  await expect(client.completions.create({ model: "team", prompt: "a" })).rejects.toThrow(/is a team; use a chat/u);
});
