import type { CompletionRequest, LanguageModel } from "@laconic/core";
import { completionHandler, type CompletionHandler } from "@laconic/serve";
import { expect, test } from "vitest";
import { openAiOf } from "./surface-cases.ts";
import { serving, modelOfFile, type ServerChange } from "./tiny-server.ts";

const tiny = await modelOfFile();

function handlerOf(change: ServerChange = {}): CompletionHandler & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const handler = completionHandler(serving({ policy: tiny.policy, ...change }, (error) => errors.push(error)));
  return Object.assign(handler, { errors });
}

const post = (body: unknown, init: RequestInit = {}, url = "http://localhost/v1/completions"): Request =>
  new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "tiny", ...(body as object) }),
    ...init,
  });

/** Draws a token whenever it is told to, until it is aborted. */
function byHand(): LanguageModel & { readonly asked: CompletionRequest[]; aborted: number } {
  const asked: CompletionRequest[] = [];
  return {
    id: "by hand",
    asked,
    aborted: 0,
    complete(request) {
      asked.push(request);
      return new Promise((_, reject) =>
        request.signal?.addEventListener("abort", () => {
          this.aborted += 1;
          reject(new Error("aborted"));
        }),
      );
    },
  };
}

const running = async (handler: CompletionHandler): Promise<number> => {
  const response = await handler(new Request("http://localhost/health"));
  return ((await response.json()) as { readonly running: number }).running;
};

test("OpenAI's client uses the handler without a socket, streamed and whole", async () => {
  const handler = handlerOf();
  const client = openAiOf(handler);
  const asked = { model: "tiny", messages: [{ role: "user" as const, content: "say" }], seed: 7, max_tokens: 12 };
  const whole = await client.chat.completions.create(asked);
  const stream = await client.chat.completions.create({
    ...asked,
    stream: true as const,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage: unknown = null;
  const reasons: unknown[] = [];
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    text += choice?.delta.content ?? "";
    reasons.push(...[choice?.finish_reason ?? []].flat());
    usage = chunk.usage ?? usage;
  }
  expect(text).toBe(whole.choices[0]?.message.content);
  expect([usage, reasons]).toEqual([whole.usage, [whole.choices[0]?.finish_reason]]);
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["tiny"]);
  expect(await running(handler)).toBe(0);
});

test("a stream is server-sent events that end with [DONE]", async () => {
  const response = await handlerOf()(post({ prompt: "abc", seed: 3, max_tokens: 4, n: 2, stream: true }));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = (await response.text()).split("\n\n");
  expect(events.pop()).toBe("");
  expect(events.pop()).toBe("data: [DONE]");
  const chunks = events.map((event) => JSON.parse(event.replace(/^data: /u, "")) as { choices: { index: number }[] });
  for (const index of [0, 1])
    expect(chunks.filter(({ choices }) => choices[0]?.index === index).at(-1)?.choices).toMatchObject([
      { text: "", finish_reason: expect.stringMatching(/stop|length/u) as string },
    ]);
});

test.each([
  ["http://evil.example/v1/models", {}, 403],
  ["http://localhost/v1/models", { host: "evil.example" }, 403],
  ["http://localhost/v1/models", { origin: "https://evil.example" }, 403],
  ["http://localhost/v1/models", { origin: "http://localhost:3000" }, 401],
  ["http://192.168.0.7:8000/v1/models", { authorization: "Bearer secrets" }, 401],
  ["http://192.168.0.7:8000/v1/models", { authorization: "Bearer secre" }, 401],
  ["http://192.168.0.7:8000/v1/models", { authorization: "Bearer Secret" }, 401],
  ["http://192.168.0.7:8000/v1/models", { authorization: "Bearer secret" }, 200],
  ["http://model.example/v1/models/tiny", { authorization: "Bearer secret" }, 200],
  ["http://localhost/v1/models/other", { authorization: "Bearer secret" }, 404],
  ["http://localhost/v1/nothing", { authorization: "Bearer secret" }, 404],
  ["http://localhost/v1/completions", { authorization: "Bearer secret" }, 405],
  ["http://localhost/%", {}, 400],
  ["http://localhost/health", {}, 200],
])("GET %s with %j gets %i", async (url, headers, status) => {
  const handler = handlerOf({ apiKey: "secret", hosts: ["model.example"] });
  const response = await handler(new Request(url, { headers }));
  expect([response.status, handler.errors]).toEqual([status, []]);
});

test("rejects bodies of another type, too large, cut off, invalid or too deeply nested", async () => {
  const handler = handlerOf();
  const cut = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
  const json = { "content-type": "application/json" };
  const statuses = [
    post({ prompt: "a" }, { headers: { "content-type": "text/plain" } }),
    post({ prompt: "a".repeat(20_000) }),
    post({}, { body: cut, duplex: "half" }),
    post({}, { body: "{" }),
    post({}, { body: `{"prompt":${'{"a":'.repeat(1000)}1${"}".repeat(1001)}` }),
    new Request("http://localhost/v1/completions", { method: "POST", headers: json }),
  ].map(async (request) => (await handler(request)).status);
  expect(await Promise.all(statuses)).toEqual([415, 413, 400, 400, 400, 400]);
  expect(handler.errors).toEqual([]);
});

test("a request above the concurrency limit gets 429 with Retry-After", async () => {
  const policy = byHand();
  const handler = handlerOf({ policy, maxConcurrency: 1 });
  const leaving = new AbortController();
  const first = handler(post({ prompt: "a" }, { signal: leaving.signal }));
  await expect.poll(() => policy.asked.length).toBe(1);
  const late = await handler(post({ prompt: "a" }));
  expect([late.status, late.headers.get("retry-after")]).toEqual([429, "1"]);
  leaving.abort();
  expect((await first).status).toBe(499);
  expect([await running(handler), policy.aborted]).toEqual([0, 1]);
});

test("an aborted request ends its replies and cuts its stream", async () => {
  const policy = byHand();
  const handler = handlerOf({ policy });
  const leaving = new AbortController();
  const pending = handler(post({ prompt: "a", n: 2, stream: true }, { signal: leaving.signal }));
  await expect.poll(() => policy.asked.length).toBe(2);
  policy.asked[0]?.onToken?.({ token: 5, logProb: -1 });
  const response = await pending;
  expect(response.status).toBe(200);
  leaving.abort();
  await expect(response.text()).rejects.toThrow("the client disconnected");
  expect([await running(handler), policy.aborted, handler.errors]).toEqual([0, 2, []]);
});

test("cancelling the body ends the replies", async () => {
  const policy = byHand();
  const handler = handlerOf({ policy });
  const pending = handler(post({ prompt: "a", stream: true }));
  await expect.poll(() => policy.asked.length).toBe(1);
  policy.asked[0]?.onToken?.({ token: 5, logProb: -1 });
  await (await pending).body?.cancel();
  await expect.poll(() => running(handler)).toBe(0);
  expect([policy.aborted, handler.errors]).toEqual([1, []]);
});

test("a failure before the first event is a status, a later one an event", async () => {
  let tokens = 0;
  const policy: LanguageModel = {
    id: "fails",
    complete({ onToken }) {
      for (let i = 0; i < tokens; i++) onToken?.({ token: 5, logProb: -1 });
      return Promise.reject(new Error("a secret path"));
    },
  };
  const handler = handlerOf({ policy });
  const early = await handler(post({ prompt: "a", stream: true }));
  expect(early.status).toBe(500);
  tokens = 1;
  const late = await handler(post({ prompt: "a", stream: true, n: 2 }));
  expect(late.status).toBe(200);
  const text = await late.text();
  expect(text.trimEnd().split("\n\n").at(-1)).toMatch(/^data: \{"error":\{"message":"the server failed/u);
  expect(text).not.toMatch(/DONE|secret/u);
  expect(handler.errors).toHaveLength(2);
});

test("a policy without streaming sends its text in one event", async () => {
  const policy: LanguageModel = {
    ...tiny.policy,
    complete: (request) => tiny.policy.complete({ ...request, onToken: () => undefined }),
  };
  const asked = { prompt: "abc", seed: 3, max_tokens: 6 };
  const whole = (await (await handlerOf()(post(asked))).json()) as { choices: { text: string }[] };
  const streamed = await (await handlerOf({ policy })(post({ ...asked, stream: true }))).text();
  expect(streamed).toContain(`"text":${JSON.stringify(whole.choices[0]?.text)},`);
  expect(streamed.split("\n\n")).toHaveLength(4);
});
