import { connect } from "node:net";
import type { LanguageModel } from "@laconic/core";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { startServer, modelOfFile, tokenizer, type ServerChange } from "./tiny-server.ts";

const tiny = await modelOfFile();
const errors: unknown[] = [];

async function withServer(change: ServerChange, body: (url: string, client: OpenAI) => Promise<void>): Promise<void> {
  const { server, url } = await startServer({
    policy: tiny.policy,
    onError: (error: unknown) => errors.push(error),
    ...change,
  });
  try {
    await body(url, new OpenAI({ baseURL: `${url}/v1`, apiKey: change.apiKey ?? "none", maxRetries: 0 }));
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

const chat = { model: "tiny", messages: [{ role: "user" as const, content: "say" }], seed: 7, max_tokens: 12 };

describe("the openai package", () => {
  test("lists the model and gets equal replies for equal seeds", () =>
    withServer({}, async (_, client) => {
      expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["tiny"]);
      const [first, again, other] = [
        await client.chat.completions.create({ ...chat, logprobs: true }),
        await client.chat.completions.create({ ...chat, logprobs: true }),
        await client.chat.completions.create({ ...chat, seed: 8 }),
      ];
      const { message, logprobs } = first.choices[0] as (typeof first.choices)[0];
      expect(again.choices).toEqual(first.choices);
      expect(other.choices[0]?.message.content).not.toBe(message.content);
      expect(first.usage?.prompt_tokens).toBe("user say.".length);
      expect(first.usage?.completion_tokens).toBe(logprobs?.content?.length);
      expect(logprobs?.content?.map(({ token }) => token).join("")).toBe(message.content);
      expect(logprobs?.content?.every(({ logprob }) => logprob < 0 && logprob > -20)).toBe(true);
    }));

  test("stops at a stop text, streamed or not, and accepts token ids and n", () =>
    withServer({}, async (_, client) => {
      const free = await client.completions.create({ model: "tiny", prompt: "abc", seed: 3, max_tokens: 20 });
      const text = free.choices[0]?.text ?? "";
      const stop = text.slice(4, 6);
      const request = { model: "tiny", prompt: tokenizer.encode("abc"), seed: 3, max_tokens: 20, stop };
      const cut = await client.completions.create(request);
      expect(cut.choices[0]).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish_reason: "stop" });
      let streamed = "";
      for await (const chunk of await client.completions.create({ ...request, stream: true }))
        streamed += chunk.choices[0]?.text ?? "";
      expect(streamed).toBe(cut.choices[0]?.text);
      const three = await client.completions.create({ model: "tiny", prompt: "abc", n: 3, max_tokens: 4 });
      expect(three.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    }));

  test("gets log-probs at temperature 1 with the likeliest tokens, or at the sampling temperature", () =>
    withServer({}, async (_, client) => {
      const request = { ...chat, temperature: 0.5, logprobs: true, top_logprobs: 20 };
      const raw = (await client.chat.completions.create(request)).choices[0]?.logprobs?.content ?? [];
      const other = { ...chat, temperature: 0.5, logprobs: true, logprobs_mode: "processed_logprobs" };
      const processed = (await client.chat.completions.create(other)).choices[0]?.logprobs?.content ?? [];
      expect(raw.length).toBeGreaterThan(3);
      expect(processed.map(({ token }) => token)).toEqual(raw.map(({ token }) => token));
      expect(processed.map(({ top_logprobs: top }) => top)).toEqual(raw.map(() => []));
      raw.forEach(({ logprob, top_logprobs: top }, t) => {
        expect(top).toHaveLength(20);
        expect(top.map((item) => item.logprob)).toEqual(top.map((item) => item.logprob).toSorted((a, b) => b - a));
        // At temperature 1/2 odds are squared: the gap to the likeliest token doubles, and all else is the normaliser.
        const best = top[0]?.logprob ?? 0;
        const squared = top.reduce((sum, item) => sum + Math.exp(2 * item.logprob), 0);
        expect(processed[t]?.logprob).toBeLessThan(2 * logprob - Math.log(squared) + 1e-9);
        expect(logprob).toBeLessThanOrEqual(best);
      });
      let streamed = 0;
      for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
        streamed += chunk.choices[0]?.logprobs?.content?.filter((item) => item.top_logprobs.length === 20).length ?? 0;
      expect(streamed).toBe(raw.length);
      const text = await client.completions.create({
        model: "tiny",
        prompt: "abc",
        seed: 3,
        max_tokens: 5,
        logprobs: 2,
      });
      const likeliest = text.choices[0]?.logprobs?.top_logprobs ?? [];
      expect(likeliest).toHaveLength(text.choices[0]?.logprobs?.tokens?.length ?? -1);
      for (const item of likeliest) expect([2, 3]).toContain(Object.keys(item).length);
    }));

  test("gets the same reply to a longer chat with or without a cached prefix", () =>
    withServer({}, async (_, client) => {
      const messages = [{ role: "user" as const, content: "tell me what you know about foxes" }];
      const turn = { ...chat, messages, max_tokens: 4 };
      const plain = await client.chat.completions.create({ ...turn, seed: 9 });
      await client.chat.completions.create({ ...turn, prompt_cache_key: "foxes" });
      const cached = await client.chat.completions.create({ ...turn, seed: 9, prompt_cache_key: "foxes" });
      expect(cached.choices).toEqual(plain.choices);
    }));
});

describe("a hostile client", () => {
  const post = (url: string, body: string, path = "/v1/completions"): Promise<Response> =>
    fetch(url + path, { method: "POST", body, headers: { "content-type": "application/json" } });
  const refusal = async (response: Response): Promise<unknown> => {
    const { error } = (await response.json()) as { error: { param: unknown; message: string } };
    return { status: response.status, param: error.param, message: error.message };
  };

  test("gets an error that names the mistake", () =>
    withServer({}, async (url) => {
      const base = { model: "tiny", prompt: "a" };
      for (const [body, status, param] of [
        ["{", 400, null],
        ["[]", 400, null],
        [JSON.stringify({ ...base, temperature: -1 }), 400, "temperature"],
        [JSON.stringify({ ...base, best_of: 3 }), 400, "best_of"],
        [JSON.stringify({ ...base, logprobs: 6 }), 400, "logprobs"],
        [JSON.stringify({ ...base, logprobs: 1, logprobs_mode: "processed_logprobs" }), 400, "logprobs_mode"],
        [JSON.stringify({ ...base, prompt: [] }), 400, "prompt"],
        [JSON.stringify({ ...base, prompt: [999] }), 400, null],
        [JSON.stringify({ ...base, prompt: "a".repeat(64) }), 400, null],
        [JSON.stringify({ ...base, prompt: "a".repeat(600) }), 400, "prompt"],
        [JSON.stringify({ ...base, prompt: Array.from({ length: 64 }, () => 1) }), 400, "prompt"],
        [JSON.stringify({ ...base, prompt: ["a", [1]] }), 400, "prompt"],
        [JSON.stringify({ ...base, prompt: ["a", "b", "c"], n: 3 }), 400, "n"],
        [JSON.stringify({ ...base, max_tokens: 0 }), 400, "max_tokens"],
        [JSON.stringify({ ...base, echo: true, stream: true }), 400, "echo"],
        [JSON.stringify({ ...base, echo: true, logprobs: 1 }), 400, "echo"],
        [
          JSON.stringify({ ...base, echo: true, logprobs: 0, logprobs_mode: "processed_logprobs" }),
          400,
          "logprobs_mode",
        ],
        [JSON.stringify({ ...base, response_format: { type: "xml" } }), 400, "response_format.type"],
        [`${"[".repeat(4900)}${"]".repeat(4900)}`, 400, null],
        [JSON.stringify({ ...base, model: "other" }), 404, "model"],
        [JSON.stringify({ ...base, prompt: "a".repeat(20_000) }), 413, null],
      ] as const)
        expect(await refusal(await post(url, body))).toMatchObject({ status, param });
      expect(await refusal(await post(url, "{}", "/v1/nothing"))).toMatchObject({ status: 404 });
      expect((await fetch(`${url}/v1/completions`)).status).toBe(405);
      expect(errors).toEqual([]);
    }));

  test("frees its place by a hang-up and sees no internal error", async () => {
    let asked = 0;
    const hangs: LanguageModel = {
      id: "hangs",
      complete: ({ signal }) => {
        asked += 1;
        if (asked > 1) return Promise.reject(new Error("a secret path"));
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
      },
    };
    await withServer({ policy: hangs }, async (url) => {
      const running = async (): Promise<unknown> =>
        ((await (await fetch(`${url}/health`)).json()) as { running: number }).running;
      const { hostname, port } = new URL(url);
      const body = JSON.stringify({ model: "tiny", prompt: "a" });
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await expect.poll(running).toBe(1);
      socket.destroy();
      await expect.poll(running).toBe(0);
      expect(await refusal(await post(url, body))).toMatchObject({
        status: 500,
        message: expect.not.stringContaining("secret") as string,
      });
      expect(errors.splice(0)).toHaveLength(1);
    });
  });
});
