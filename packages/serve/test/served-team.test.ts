import {
  type Completion,
  type CompletionRequest,
  type Episode,
  type LanguageModel,
  type Topology,
  LaconicError,
} from "@laconic/core";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { closeServer, completionHandler, type ServedTeam } from "@laconic/serve";
import { startServer, tokenizer } from "./tiny-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Says what it sees, and what it was asked with. */
const repeats = (id: string, asked: CompletionRequest[] = []): LanguageModel => ({
  id,
  complete(request): Promise<Completion> {
    asked.push(request);
    const text = request.prompt.kind === "text" ? request.prompt.text : "";
    const usage = { promptTokens: text.length, completionTokens: text.length + 1, counted: "model" } as const;
    return Promise.resolve({ text, finishReason: "stop", usage, model: { id, weightVersion: 3 } });
  },
});

/** One tells what it alone sees, the other answers with what it heard and the question. */
const pair: Topology = {
  name: "pair",
  agents: ["scout", "solver"],
  async run({ id, question, views }, { models, sampling, random, signal, limits }): Promise<Episode> {
    const ask = (agent: string, text: string): Promise<Completion> =>
      (models[agent] as LanguageModel).complete({
        prompt: { kind: "text", text },
        sampling: { maxTokens: limits?.maxTokens ?? 9, ...sampling },
        random: random.split(agent).state(),
        ...(signal && { signal }),
      });
    const told = await ask("scout", views?.["scout"] ?? "");
    const answer = await ask("solver", `${told.text} ${question}`);
    const written = [told, answer].map((reply, turn) => {
      const agent = pair.agents[turn] as string;
      const { promptTokens, completionTokens } = reply.usage;
      const reads = turn === 1 ? [{ from: "scout", turn: 0, tokens: told.text.length }] : [];
      return {
        call: { turn, round: 0, agent, promptTokens, writtenTokens: completionTokens, reads },
        utterance: {
          agent,
          turn,
          round: 0,
          prompt: "",
          text: reply.text,
          silent: false,
          writtenTokens: completionTokens,
          deliveredTo: turn === 0 ? ["solver"] : [],
          finishReason: reply.finishReason,
          model: reply.model,
        },
      };
    });
    return {
      problemId: id,
      topology: "pair",
      utterances: written.map(({ utterance }) => utterance),
      answer: answer.text,
      stopReason: "answered",
      ledger: { calls: written.map(({ call }) => call) },
    };
  },
};

async function served(change: Partial<ServedTeam> = {}): Promise<{ url: string; client: OpenAI; team: ServedTeam }> {
  const models = { scout: repeats("a"), solver: repeats("b") };
  const team = { name: "team", topology: pair, models, sampling: { temperature: 0.6 }, ...change };
  const seat = { name: "team/scout", policy: models.scout, tokenizer, contextLength: 64 };
  const { server, url } = await startServer({ models: [team, seat] });
  closing.push(() => closeServer(server, 0));
  return { url, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }), team };
}

const question = [
  { role: "user", name: "scout", content: "k6" },
  { role: "user", content: "k?" },
] as const;

test("a team answers a chat: views by name, the ledger in usage, who said what beside the answer", async () => {
  const { client } = await served();
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toEqual(["team", "team/scout"]);
  const answer = await client.chat.completions.create({ model: "team", messages: [...question] });
  expect(answer.choices).toMatchObject([
    {
      message: { role: "assistant", content: "k6 k?" },
      finish_reason: "stop",
      laconic: {
        messages: [
          { agent: "scout", text: "k6", tokens: 3 },
          { agent: "solver", text: "k6 k?", tokens: 6 },
        ],
      },
    },
  ]);
  expect(answer.usage).toEqual({
    prompt_tokens: 7,
    completion_tokens: 9,
    total_tokens: 16,
    laconic: {
      calls: 2,
      read_tokens: 2,
      written_by_agent: {
        scout: 3,
        solver: 6,
      },
      read_by_agent: {
        scout: 0,
        solver: 2,
      },
    },
  });
  const seat = await client.chat.completions.create({ model: "team/scout", messages: [question[1]] });
  expect(seat.choices[0]?.finish_reason).toBe("stop");
});

test("a streamed answer says who speaks while they speak", async () => {
  const { client, url } = await served();
  const stream = await client.chat.completions.create({
    model: "team",
    messages: [...question],
    stream: true as const,
    stream_options: { include_usage: true },
  });
  const spoken: unknown[] = [];
  let text = "";
  for await (const chunk of stream) {
    if ("laconic" in chunk) spoken.push(chunk.laconic);
    text += chunk.choices[0]?.delta.content ?? "";
  }
  expect([spoken, text]).toEqual([
    [
      { agent: "scout", text: "k6", tokens: 3 },
      { agent: "solver", text: "k6 k?", tokens: 6 },
    ],
    "k6 k?",
  ]);
  const named = createOpenAICompatible({ name: "laconic", baseURL: `${url}/v1` });
  const { textStream } = streamText({ model: named("team"), prompt: "k?" });
  const pieces: string[] = [];
  for await (const piece of textStream) pieces.push(piece);
  expect(pieces.join("")).toBe(" k?");
});

test("in the AI SDK it is a model, with the ledger in its usage, and needs no server", async () => {
  const models = { scout: repeats("a"), solver: repeats("b") };
  const handler = completionHandler({
    models: [{ name: "team", topology: pair, models, sampling: { temperature: 1 } }],
  });
  const baseURL = "http://localhost/v1";
  const laconic = createOpenAICompatible({
    name: "laconic",
    baseURL,
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const ledger = {
    calls: 2,
    read_tokens: 0,
    written_by_agent: { scout: 1, solver: 4 },
    read_by_agent: { scout: 0, solver: 0 },
  };
  const { text, usage } = await generateText({ model: laconic("team"), prompt: "k?" });
  expect([text, usage.inputTokens, usage.outputTokens]).toEqual([" k?", 3, 5]);
  expect(usage.raw).toMatchObject({ laconic: ledger });
  const streaming = createOpenAICompatible({
    name: "laconic",
    baseURL,
    includeUsage: true,
    fetch: (url, init) => handler(new Request(url, init)),
  });
  const streamed = streamText({ model: streaming("team"), prompt: "k?", includeRawChunks: true });
  const spoken: unknown[] = [];
  for await (const part of streamed.fullStream)
    if (part.type === "raw" && typeof part.rawValue === "object" && part.rawValue && "laconic" in part.rawValue)
      spoken.push(part.rawValue.laconic);
  expect(spoken).toEqual([
    { agent: "scout", text: "", tokens: 1 },
    { agent: "solver", text: " k?", tokens: 4 },
  ]);
  expect((await streamed.usage).raw).toMatchObject({ laconic: ledger });
});

test("a request's sampling takes the place of the run's, and its most tokens are the team's", async () => {
  const asked: CompletionRequest[] = [];
  const models = { scout: repeats("a", asked), solver: repeats("b", asked) };
  const { client } = await served({ models });
  await client.chat.completions.create({ model: "team", messages: [...question], top_p: 0.5 });
  await client.chat.completions.create({
    model: "team",
    messages: [...question],
    temperature: 0,
    max_tokens: 40,
    n: 2,
  });
  expect(asked.map(({ sampling }) => sampling)).toEqual([
    ...Array.from({ length: 2 }, () => ({ temperature: 0.6, topP: 0.5, maxTokens: 9 })),
    ...Array.from({ length: 4 }, () => ({ temperature: 0, maxTokens: 40 })),
  ]);
});

test("a question without views is posed as the team's world poses it", async () => {
  const problemOf = (text: string): ReturnType<NonNullable<ServedTeam["problemOf"]>> => {
    if (!text.includes(".")) throw new LaconicError("input_invalid", "less than two facts");
    const [fact = "", rest = ""] = text.split(".");
    return { id: "dealt", question: rest.trim(), gold: "", views: { scout: fact } };
  };
  const { client } = await served({ problemOf });
  const ask = (content: string): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({ model: "team", messages: [{ role: "user", content }] });
  expect((await ask("k6. k?")).choices[0]?.message.content).toBe("k6 k?");
  await expect(ask("k?")).rejects.toThrow(/400 less than two facts/u);
});

test.each([
  [{ messages: [{ role: "system", content: "be short" }, question[1]] }, /a team is asked one question/u],
  [{ messages: [question[1], question[1]] }, /one message without a name, not 2/u],
  [{ messages: [question[0]] }, /one message without a name, not 0/u],
  [{ messages: [{ role: "user", name: "nobody", content: "" }, question[1]] }, /messages\.0\.name: team has no agent/u],
  [{ messages: [question[0], ...question] }, /messages\.1\.name: scout has a view already/u],
  [{ messages: [...question], logprobs: true }, /logprobs/u],
  [{ messages: [...question], model: "other" }, /404 model other is not served; team, team\/scout are/u],
] as const)("a team refuses %j", async (body, message) => {
  const { client } = await served();
  await expect(client.post("/chat/completions", { body: { model: "team", ...body } })).rejects.toThrow(message);
});

test("a team has no texts to complete", async () => {
  const { client } = await served();
  await expect(client.completions.create({ model: "team", prompt: "a" })).rejects.toThrow(/team is a team: ask it by/u);
});
