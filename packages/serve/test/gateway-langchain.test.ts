import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  type AIMessageChunk,
  type BaseMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, type ChatOpenAIFields } from "@langchain/openai";
import { generateText } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { lookingTeam as models, scripted, spelled, startGateway, tokenizer, toolCall } from "./tiny-gateway.ts";

const look = tool(async ({ key }) => `${key}seven`, {
  name: "look",
  description: "looks something up",
  schema: z.object({ key: z.string() }),
});

type Settings = Omit<ChatOpenAIFields, "model">;

async function joined(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk;
  return whole as AIMessageChunk;
}

/** A LangChain team that knows where its models are, and nothing of training. */
async function team(settings: Settings, stream = false): Promise<string> {
  const named = (model: string): ChatOpenAI => new ChatOpenAI({ apiKey: "none", maxRetries: 0, ...settings, model });
  const scout = named("scout").bindTools([look]);
  const messages: BaseMessage[] = [new SystemMessage("be short"), new HumanMessage("what is a?")];
  for (let turn = 0; turn < 3; turn++) {
    const message = stream ? await joined(await scout.stream(messages)) : await scout.invoke(messages);
    messages.push(message);
    if (!message.tool_calls?.length) break;
    for (const tool_Call of message.tool_calls) messages.push(await look.invoke(tool_Call));
  }
  const reported = new HumanMessage(messages.at(-1)?.text ?? "");
  return (await named("solver").invoke([reported])).text;
}

const headers = (id: string): Record<string, string> => ({ "x-rollout-id": id, "x-rollout-group": "what-is-a" });

test.each<[string, boolean, (url: string, id: string) => Settings]>([
  ["base URL", false, (url, id) => ({ configuration: { baseURL: `${url}/v1/rollouts/${id}` } })],
  ["base URL, streamed", true, (url, id) => ({ configuration: { baseURL: `${url}/v1/rollouts/${id}` } })],
  ["header", false, (url, id) => ({ configuration: { baseURL: `${url}/v1`, defaultHeaders: headers(id) } })],
  ["header, streamed", true, (url, id) => ({ configuration: { baseURL: `${url}/v1`, defaultHeaders: headers(id) } })],
  ["user", false, (url, id) => ({ configuration: { baseURL: `${url}/v1` }, user: `rollout:${id}` })],
  [
    "metadata",
    false,
    (url, id) => ({ configuration: { baseURL: `${url}/v1` }, modelKwargs: { metadata: { rollout_id: id } } }),
  ],
])("a LangChain team with a tool trains with its %s", async (_, stream, settings) => {
  const tiny = await startGateway();
  const taken = tiny.gateway.take({ step: 0, models });
  for (const [i, id] of ["r1", "r2"].entries()) {
    expect(await team(settings(tiny.url, id), stream)).toBe("ASEVEN");
    const { status, body } = await tiny.post(`/rollouts/${id}/reward`, { reward: i, group: "what-is-a" });
    expect({ status, state: body.state }).toEqual({ status: 200, state: "finished" });
  }
  const step = await taken;
  expect(tiny.errors).toEqual([]);
  expect(tiny.gateway.status()).toMatchObject({ prompts: { first: 4, extended: 2 }, foreign: 0 });
  const episodes = step?.groups[0]?.episodes ?? [];
  expect(episodes.map(({ reward }) => reward)).toEqual([0, 1].map((task) => ({ team: { task } })));
  for (const { episode } of episodes) {
    expect(episode.utterances.map(({ agent }) => agent)).toEqual(["scout", "scout", "solver"]);
    const texts = [`I look. ${toolCall}`, "it is aseven", "ASEVEN"];
    expect(episode.utterances.map(({ text }) => text)).toEqual(texts); // as they were written, spaces and all
    for (const [i, { trace }] of episode.utterances.entries()) {
      const tokens = [...tokenizer.encode(texts[i] ?? ""), 0];
      expect(trace).toMatchObject({ tokens, logProbs: tokens.map((__, t) => -1 - t / 100) });
    }
    const [first, second] = episode.utterances;
    const whole = [...(first?.trace?.promptTokens ?? []), ...(first?.trace?.tokens ?? [])];
    expect(second?.trace?.promptTokens.slice(0, whole.length)).toEqual(whole);
  }
});

const plain = { scout: scripted(() => [...spelled("the"), 0]), solver: models.solver };
const chat = (baseURL: string): ChatOpenAI =>
  new ChatOpenAI({ apiKey: "none", maxRetries: 0, model: "scout", configuration: { baseURL } });

test("counts answers returned in other tokens and does not train invented ones", async () => {
  const tiny = await startGateway({ rolloutsPerGroup: 1 });
  const taken = tiny.gateway.take({ step: 0, models: plain });
  const scout = chat(`${tiny.url}/v1/rollouts/a`);
  const question = new HumanMessage("say");
  const message = await scout.invoke([question]);
  expect(message.text).toBe("the");
  expect(message.usage_metadata).toMatchObject({ input_tokens: 6, output_tokens: 4 });
  await scout.invoke([question, message, new HumanMessage("more")]);
  await scout.invoke([question, new AIMessage("no"), new HumanMessage("more")]);
  const { body } = await tiny.get("/rollouts/a");
  expect(body.replies?.map(({ kind }) => kind)).toEqual(["first", "rerendered", "first"]);
  await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" });
  expect((await taken)?.groups[0]?.episodes[0]?.episode.notes).toEqual(["rerendered"]);
  expect(tiny.gateway.status()).toMatchObject({ prompts: { first: 2, rerendered: 1 }, foreign: 1 });
});

test("LangChain receives the reason of a rejection", async () => {
  const tiny = await startGateway({ rerendered: "refuse" });
  void tiny.gateway.take({ step: 0, models: plain });
  const scout = chat(`${tiny.url}/v1/rollouts/a`);
  const question = new HumanMessage("say");
  const again = [question, await scout.invoke([question]), new HumanMessage("more")];
  await expect(scout.invoke(again)).rejects.toMatchObject({ status: 400, code: "rerendered" });
  const forced = scout.bindTools([look], { tool_choice: "look" });
  await expect(forced.invoke([question])).rejects.toThrow(/tool_choice: not supported in training/u);
  const answer = z.object({ digit: z.string() });
  const structured = scout.withStructuredOutput(answer);
  await expect(structured.invoke([question])).rejects.toMatchObject({ status: 400 });
});

test("clients do not retry permanent rejections", async () => {
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models: plain });
  for (const id of ["done", "gone"]) await chat(`${tiny.url}/v1/rollouts/${id}`).invoke([new HumanMessage("say")]);
  await tiny.post("/rollouts/done/reward", { reward: 1, group: "g" });
  await tiny.post("/rollouts/gone/abandon", {});
  for (const [id, code] of [
    ["done", "rollout_ended"],
    ["gone", "rollout_abandoned"],
  ] as const) {
    const baseURL = `${tiny.url}/v1/rollouts/${id}`;
    let requests = 0;
    const counted: typeof fetch = async (...request) => {
      requests += 1;
      return fetch(...request);
    };
    // As they repeat by default.
    const chain = new ChatOpenAI({ apiKey: "none", model: "scout", configuration: { baseURL, fetch: counted } });
    await expect(chain.invoke([new HumanMessage("say")])).rejects.toMatchObject({ code });
    const client = new OpenAI({ apiKey: "none", baseURL, fetch: counted });
    const messages = [{ role: "user" as const, content: "say" }];
    await expect(client.chat.completions.create({ model: "scout", messages })).rejects.toMatchObject({ code });
    const model = createOpenAICompatible({ name: "team", baseURL, fetch: counted })("scout");
    await expect(generateText({ model, prompt: "say" })).rejects.toMatchObject({ isRetryable: false });
    expect([id, requests]).toEqual([id, 3]);
  }
});
