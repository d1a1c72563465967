import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Episode } from "@laconic/core";
import { hermesTools } from "@laconic/serve";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { z } from "zod";
import { lookingTeam as models, startGateway, tokenizer, toolCall, type TinyGateway } from "./tiny-gateway.ts";
import { startServer } from "./tiny-server.ts";

const look = tool({
  description: "looks something up",
  inputSchema: z.object({ key: z.string() }),
  execute: async ({ key }) => `${key}seven`,
});

/** An ordinary AI SDK program: it knows a base URL, and nothing of training. */
async function team(baseURL: string, headers: Record<string, string> = {}, stream = false): Promise<string> {
  const named = createOpenAICompatible({ name: "team", baseURL, headers });
  const options = { model: named("scout"), prompt: "what is a?", tools: { look }, stopWhen: stepCountIs(3) };
  const text = stream ? await streamText(options).text : (await generateText(options)).text;
  return (await generateText({ model: named("solver"), prompt: text })).text;
}

async function trainOne(tiny: TinyGateway, play: (id: string) => Promise<string>): Promise<readonly Episode[]> {
  const taken = tiny.gateway.take({ step: 0, models });
  for (const id of ["r1", "r2"]) {
    expect(await play(id)).toBe("ASEVEN");
    const { status, body } = await tiny.post(`/rollouts/${id}/reward`, {
      reward: 1,
      group: "what-is-a",
      agents: { scout: 0.5 },
    });
    expect({ status, state: body.state }).toEqual({ status: 200, state: "finished" });
  }
  const step = await taken;
  expect(step?.lag).toBe(0);
  expect(step?.groups.map(({ problem }) => problem.id)).toEqual(["what-is-a"]);
  expect(step?.groups[0]?.episodes.map(({ reward }) => reward)).toEqual(
    ["r1", "r2"].map(() => ({ team: { task: 1 }, agents: { scout: { own: 0.5 } } })),
  );
  expect(tiny.errors).toEqual([]);
  return step?.groups[0]?.episodes.map(({ episode }) => episode) ?? [];
}

function expectTeam(episodes: readonly Episode[]): void {
  expect(episodes).toHaveLength(2);
  for (const { utterances, answer, ledger } of episodes) {
    expect(utterances.map(({ agent }) => agent)).toEqual(["scout", "scout", "solver"]);
    expect(answer).toBe("ASEVEN");
    const [first, second] = utterances;
    expect(first?.text).toBe(`I look. ${toolCall}`); // as it was written, spaces and all
    expect(first?.trace?.tokens).toEqual([...tokenizer.encode(`I look. ${toolCall}`), 0]);
    const whole = [...(first?.trace?.promptTokens ?? []), ...(first?.trace?.tokens ?? [])];
    expect(second?.trace?.promptTokens.slice(0, whole.length)).toEqual(whole);
    expect(tokenizer.decode(second?.trace?.promptTokens ?? [])).toMatch(/<tool_response>\naseven\n<\/tool_response>$/u);
    expect(ledger.calls.map(({ writtenTokens }) => writtenTokens)).toEqual(
      utterances.map(({ trace }) => trace?.tokens.length),
    );
  }
}

test("an AI SDK team with a tool trains with only a base URL", async () => {
  const tiny = await startGateway();
  expectTeam(await trainOne(tiny, (id) => team(`${tiny.url}/v1/rollouts/${id}`)));
  expect(tiny.gateway.status().prompts).toEqual({ first: 4, extended: 2 });
});

test("a streaming AI SDK team trains with headers for rollout and group", async () => {
  const tiny = await startGateway();
  const headers = (id: string): Record<string, string> => ({ "x-rollout-id": id, "x-rollout-group": "what-is-a" });
  expectTeam(await trainOne(tiny, (id) => team(`${tiny.url}/v1`, headers(id), true)));
});

test.each([
  ["metadata", (id: string) => ({ metadata: { rollout_id: id, rollout_group: "what-is-a" }, store: false })],
  ["user", (id: string) => ({ user: `rollout:${id}` })],
] as const)("OpenAI's client names its rollout by %s", async (_, belonging) => {
  const tiny = await startGateway();
  const client = new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey: "none", maxRetries: 0 });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["scout", "solver"]);
  const tools = [
    {
      type: "function" as const,
      function: { name: "look", parameters: { type: "object", properties: { key: { type: "string" } } } },
    },
  ];
  const episodes = await trainOne(tiny, async (id) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "what is a?" }];
    const first = await client.chat.completions.create({ model: "scout", messages, tools, ...belonging(id) });
    const message = first.choices[0]?.message as OpenAI.ChatCompletionMessage;
    expect(first.system_fingerprint).toBe("step-0");
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(message.content).toBe("I look.");
    const [asked] = message.tool_calls ?? [];
    expect(asked).toMatchObject({ type: "function", function: { name: "look", arguments: '{"key":"a"}' } });
    messages.push(message, { role: "tool", tool_call_id: asked?.id ?? "", content: "aseven" });
    const second = await client.chat.completions.create({ model: "scout", messages, tools, ...belonging(id) });
    const reported = second.choices[0]?.message.content ?? "";
    const prompt = { role: "user" as const, content: reported };
    const last = await client.chat.completions.create({ model: "solver", messages: [prompt], ...belonging(id) });
    return last.choices[0]?.message.content ?? "";
  });
  expectTeam(episodes);
});

test("a policy trained with tools is served with them, without rollouts", async () => {
  const errors: unknown[] = [];
  const { url, server } = await startServer({
    policy: models.scout,
    tokenizer,
    name: "scout",
    contextLength: 4096,
    maxBodyBytes: 100_000,
    tools: hermesTools(),
    onError: (error: unknown) => errors.push(error),
  });
  const named = createOpenAICompatible({ name: "team", baseURL: `${url}/v1` });
  const { text, steps } = await generateText({
    model: named("scout"),
    prompt: "what is a?",
    tools: { look },
    stopWhen: stepCountIs(3),
  });
  expect([text, steps.length]).toEqual(["it is aseven", 2]);
  expect(errors).toEqual([]);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
