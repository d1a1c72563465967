import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { LaconicError, randomFromSeed } from "@laconic/core";
import { languageModelCases } from "@laconic/core/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { answer, canary, json, model, request, server, type Handler } from "../test/fake-api.ts";
import { Limiter, openAiModel, type ApiEvent, type OpenAiModelOptions } from "./index.ts";

describe("every language model passes the suite", async () => {
  for (const item of languageModelCases({ kind: "messages", messages: [{ role: "user", content: "hi" }] }))
    test(item.name, () =>
      item.run(async () => {
        const { url } = await server((_, response, body) => {
          const [stop] = (body["stop"] ?? []) as string[];
          json(
            response,
            200,
            answer((stop === undefined ? "word" : "word".split(stop)[0]) ?? "", {
              usage: { prompt_tokens: 1, completion_tokens: 1 },
            }),
          );
        });
        return model(url);
      }),
    );
});

test("sends a chat and reads its reply", async () => {
  const { url, bodies, paths } = await server((_, response) => json(response, 200, answer("hello")));
  const completion = await model(url).complete(
    request({ sampling: { temperature: 0.5, topP: 0.9, maxTokens: 8, stop: ["\n"] } }),
  );
  expect(completion).toEqual({
    text: "hello",
    finishReason: "stop",
    usage: { promptTokens: 7, completionTokens: 2, counted: "server" },
    model: { id: "tiny", weightVersion: 0 },
  });
  expect(paths).toEqual(["/v1/chat/completions"]);
  expect(bodies[0]).toEqual({
    model: "tiny",
    messages: [{ role: "user", content: "hi" }],
    temperature: 0.5,
    top_p: 0.9,
    max_tokens: 8,
    stop: ["\n"],
    seed: expect.any(Number),
  });
});

test("text and token prompts go to /completions; the same stream has the same seed, another one another", async () => {
  const { url, bodies, paths } = await server((_, response) =>
    json(response, 200, { choices: [{ finish_reason: "length", text: "abc" }] }),
  );
  const completion = await model(url).complete(request({ prompt: { kind: "text", text: "x" } }));
  expect([completion.finishReason, completion.usage.counted]).toEqual(["length", "estimate"]);
  await model(url).complete(request({ prompt: { kind: "tokens", tokens: [1, 2] } }));
  await model(url).complete(request({ prompt: { kind: "tokens", tokens: [1, 2] }, random: randomFromSeed(2).state() }));
  expect(paths).toEqual(["/v1/completions", "/v1/completions", "/v1/completions"]);
  expect(bodies.map(({ prompt }) => prompt)).toEqual(["x", [1, 2], [1, 2]]);
  expect(bodies[0]?.["seed"]).toBe(bodies[1]?.["seed"]);
  expect(bodies[2]?.["seed"]).not.toBe(bodies[1]?.["seed"]);
});

test("without usage, tokens of a known model are counted by its encoding", async () => {
  const { url } = await server((_, response) => json(response, 200, answer("hello world", { usage: null })));
  const { usage } = await model(url, { model: "gpt-4o-mini" }).complete(request());
  expect(usage).toEqual({ promptTokens: 1, completionTokens: 2, counted: "tokenizer" });
});

test("takes the address from baseUrl or OPENAI_BASE_URL, and never the default host", async () => {
  const [set, other] = [await server(replying("set")), await server(replying("other"))];
  const ask = async (options: Partial<OpenAiModelOptions>): Promise<string> =>
    (await openAiModel({ model: "tiny", apiKey: canary, ...options }).complete(request())).text;
  vi.stubEnv("OPENAI_BASE_URL", ` ${other.url} `);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await Promise.all([{}, { baseUrl: set.url }].map(ask))).toEqual(["other", "set"]);
});

const replying =
  (text: string): Handler =>
  (_, response) =>
    json(response, 200, answer(text));

const refusing =
  (status: number, error: Record<string, unknown>): Handler =>
  (_, response) =>
    json(response, status, { error });

const sending =
  (status: number, text: string, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response.writeHead(status, headers).end(text);

const cutKeys = [488, 492, 495, 498].map(
  (length) =>
    [
      `a wrong key that is cut after ${500 - length} letters or so`,
      refusing(401, { message: `${"x".repeat(length - 5)}${canary}` }),
    ] as const,
);
const masked = `Incorrect: ${canary.slice(0, 8)}****${canary.slice(-4)}, …${canary.slice(-12)}`;

const outcomes: readonly (readonly [code: string, calls: number, faults: Readonly<Record<string, Handler>>])[] = [
  [
    "api_refused",
    1,
    {
      "a wrong key": refusing(401, { message: `Incorrect API key ${canary}`, code: "invalid_api_key" }),
      "a wrong key, masked as providers print it": refusing(401, { message: masked }),
      ...Object.fromEntries(cutKeys),
      "a key in a redirect's path": sending(302, "", { location: `http://example.com/${canary.slice(4)}/v1` }),
      "an unknown model": refusing(404, { message: "no such model" }),
      "a bad parameter": refusing(400, { message: "temperature" }),
      "a redirect": sending(302, "", { location: "http://example.com/v1?secret=1" }),
    },
  ],
  [
    "budget_refused",
    1,
    {
      "a spent account": refusing(429, { message: "You exceeded your current quota", code: "insufficient_quota" }),
      "payment required": refusing(402, { message: "pay" }),
    },
  ],
  [
    "reply_malformed",
    2,
    {
      "a key at the cut of what is no JSON": sending(200, `${"y".repeat(108)}${canary}`),
      "HTML with status 200": sending(200, "<html>login</html>", { "content-type": "text/html" }),
      "truncated JSON": sending(200, '{"choices": [{"mess', { "content-type": "application/json" }),
      "an empty object": (_, response) => json(response, 200, {}),
      "no choice": (_, response) => json(response, 200, { choices: [] }),
      "a body without end": (_, response) => endless(response),
    },
  ],
  [
    "api_unavailable",
    2,
    {
      "an error that comes as a success": refusing(200, { code: 429 }),
      "a rate limit that speaks of billing": refusing(429, { message: "quota, billing, credit: upgrade", code: "429" }),
      "a rate limit whose text does not end": (_, response) => {
        response.writeHead(429, { "content-type": "application/json", "content-length": "99" }).write('{"error":');
        response.destroy();
      },
      "a reset after it acted": (incoming) => void incoming.socket.destroy(),
      "server errors": refusing(503, { message: "busy" }),
    },
  ],
];
const faults = outcomes.flatMap(([code, calls, handlers]) =>
  Object.entries(handlers).map(([name, handle]) => [name, handle, code, calls] as const),
);

test.each([
  [{ message: "too long", code: "context_length_exceeded" }, true],
  [{ message: "This model's maximum context length is 8192 tokens", code: 400 }, undefined],
])("a full context is recognised by the server's error name, never by its text: %j", async (told, contextFull) => {
  const { url } = await server(refusing(400, told));
  const thrown: unknown = await model(url)
    .complete(request())
    .catch((caught: unknown) => caught);
  expect(thrown).toFailWith("api_refused");
  expect((thrown as LaconicError).detail["contextFull"]).toBe(contextFull);
});

function endless(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const piece = "x".repeat(1 << 20);
  const pump = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", pump);
  };
  response.on("error", () => undefined);
  pump();
}

test.for(faults)("%s", async ([, handle, code, calls]) => {
  const { url, bodies } = await server(handle);
  const events: ApiEvent[] = [];
  const failing = model(url, { attempts: 2, onEvent: (event) => events.push(event) });
  const error: unknown = await failing.complete(request()).catch((caught: unknown) => caught);
  expect(LaconicError.is(error)).toBe(true);
  expect((error as LaconicError).code).toBe(code);
  expect((error as LaconicError).message).toContain(`tiny at ${new URL(url).host}: `);
  expect(bodies).toHaveLength(calls);
  // No log may contain a part of the key.
  const shown = [inspect(error, { depth: 9 }), (error as LaconicError).message, inspect(events, { depth: 9 })].join(
    inspect(failing, { depth: 9 }),
  );
  // The server's port may have the same digits.
  const withoutPort = shown.replaceAll(new URL(url).host, "");
  for (let i = 0; i + 4 <= canary.length; i++) expect(withoutPort).not.toContain(canary.slice(i, i + 4));
});

test("waits during temporary failures, at least as long as retry-after says", async () => {
  const events: ApiEvent[] = [];
  const { url } = await server((_, response, __, call) =>
    call < 3
      ? json(response, 429, { error: { message: "slow down", code: "rate_limit_exceeded" } }, { "retry-after": "0.05" })
      : json(response, 200, answer("ok")),
  );
  expect((await model(url, { onEvent: (event) => events.push(event) }).complete(request())).text).toBe("ok");
  expect(events).toHaveLength(2);
  expect(events.every((event) => event.kind === "retry" && event.waitMs >= 50)).toBe(true);
});

test("fails at once if the wait exceeds the deadline", async () => {
  const { url, bodies } = await server((_, response) =>
    json(response, 429, { error: { message: "later" } }, { "retry-after": "36000" }),
  );
  const start = performance.now();
  await expect(model(url, { deadlineMs: 2000 }).complete(request())).rejects.toFailWith("api_unavailable");
  expect(performance.now() - start).toBeLessThan(1500);
  expect(bodies).toHaveLength(1);
});

test("abandons a silent server at the deadline; an abort stays an abort", async () => {
  const { url } = await server(() => undefined);
  await expect(model(url, { deadlineMs: 150 }).complete(request())).rejects.toFailWith(
    "api_unavailable",
    /^tiny at 127\.0\.0\.1:\d+: no answer within 150 ms$/u,
  );
  const controller = new AbortController();
  const pending = model(url)
    .complete(request({ signal: controller.signal }))
    .catch((caught: unknown) => caught);
  setTimeout(() => controller.abort(), 50);
  expect(await pending).toFailWith("aborted");
});

test("a key is not sent unencrypted to another machine", () => {
  expect(() => model("http://example.com/v1")).toThrow(/would not be encrypted/u);
  expect(() => model("https://user:pass@example.com/v1")).toThrow(/apiKey/u);
  expect(() => model("nowhere")).toThrow(/expected an address/u);
  expect(model("http://example.com/v1", { insecure: true }).id).toBe("tiny");
});

test("rejects parameters that the server does not support by name, and sends others", async () => {
  const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
  const sampling = { temperature: 1, maxTokens: 8, topK: 5 };
  await expect(model(url).complete(request({ sampling }))).rejects.toFailWith("config_invalid");
  await model(url, { extraSampling: true, maxTokensField: "max_completion_tokens" }).complete(request({ sampling }));
  expect(bodies[0]).toMatchObject({ top_k: 5, max_completion_tokens: 8 });
});

test("concurrency grows with success and shrinks when the server is busy, never below one", async () => {
  const limiter = new Limiter({ start: 2, max: 4 });
  await limiter.enter();
  await limiter.enter();
  let third = false;
  const waiting = limiter.enter().then(() => (third = true));
  await Promise.resolve();
  expect(third).toBe(false);
  limiter.leave("done");
  await waiting;
  for (let i = 0; i < 40; i++) {
    limiter.leave("done");
    await limiter.enter();
  }
  expect(limiter.allowed).toBe(4);
  limiter.leave("crowded", 0);
  limiter.leave("crowded", 1); // within the cooldown: the same storm
  expect(limiter.allowed).toBe(3);
  const controller = new AbortController();
  const full = new Limiter({ start: 1 });
  await full.enter();
  const aborted = full.enter(controller.signal).catch((error: unknown) => error);
  controller.abort();
  expect(await aborted).toFailWith("aborted");
  // A signal that fired before fires no more: waiting for it would be for ever.
  await expect(full.enter(controller.signal)).rejects.toFailWith("aborted");
});

describe("token ids and log-probs from the server", () => {
  const ids = { token_ids: [5, 0], logprobs: { content: [{ logprob: -0.5 }, { logprob: -1 }] } };
  const unknown = { ...ids, logprobs: { content: [{ logprob: -0.5 }, { logprob: -9999 }] } };
  const reply = (extra: object = {}): object => ({
    choices: [{ finish_reason: "stop", message: { content: "hi" }, ...ids }],
    prompt_token_ids: [1, 2, 3],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
    ...extra,
  });

  test("become a trace at temperature 1 and 0, and are not requested by default", async () => {
    const { url, bodies } = await server((_, response) => json(response, 200, reply()));
    const traced = model(url, { trace: true });
    expect((await traced.complete(request())).trace).toEqual({
      promptTokens: [1, 2, 3],
      tokens: [5, 0],
      logProbs: [-0.5, -1],
    });
    expect(bodies[0]).toMatchObject({ return_token_ids: true, logprobs: true });
    const warm = request({ sampling: { temperature: 0.7, maxTokens: 8 } });
    expect((await traced.complete(warm)).trace).toBeUndefined(); // of another distribution
    await model(url).complete(request());
    expect(bodies[2]).not.toHaveProperty("return_token_ids");
  });

  test.for([
    ["of another number than were counted", { usage: { prompt_tokens: 3, completion_tokens: 1 } }],
    ["without the prompt's", { prompt_token_ids: null }],
    ["with -9999 for a log-prob", { choices: [{ finish_reason: "stop", message: { content: "hi" }, ...unknown }] }],
    ["that are none", { choices: [{ finish_reason: "stop", message: { content: "hi" }, ...ids, token_ids: "no" }] }],
  ] as const)("%s are not a trace, and the reply remains", async ([, extra]) => {
    const { url } = await server((_, response) => json(response, 200, reply(extra)));
    const completion = await model(url, { trace: true }).complete(request());
    expect(completion).toMatchObject({ text: "hi" });
    expect(completion.trace).toBeUndefined();
  });
});

test("requests go through the `fetch` that is given, and end with the caller's signal", async () => {
  const asked: [string, RequestInit | undefined][] = [];
  const own: typeof fetch = async (input, init) => {
    asked.push([new Request(input).url, init]);
    if (asked.length === 1) return Response.json(answer("from afar"));
    return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("left"))));
  };
  const far = model("https://far.example/v1", { fetch: own });
  expect((await far.complete(request())).text).toBe("from afar");
  expect(asked[0]?.[0]).toBe("https://far.example/v1/chat/completions");
  expect(asked[0]?.[1]).toMatchObject({ method: "POST", redirect: "manual" });
  const controller = new AbortController();
  const pending = far.complete(request({ signal: controller.signal })).catch((caught: unknown) => caught);
  while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  expect(await pending).toFailWith("aborted");
});

test("rejects a `fetch` that followed a redirect", async () => {
  const follows: typeof fetch = async () =>
    Object.defineProperties(Response.json(answer("elsewhere")), {
      redirected: { value: true },
      url: { value: "https://other.example/v1/chat/completions" },
    });
  await expect(model("https://far.example/v1", { fetch: follows }).complete(request())).rejects.toFailWith(
    "api_refused",
    "https://other.example/v1/chat/completions",
  );
});

test("requests a prompt's log-probs by an echo, and returns none without it", async () => {
  const reply = (values: readonly (number | null)[]): object => ({
    choices: [{ finish_reason: "length", text: "abc", logprobs: { token_logprobs: values } }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  });
  const { url, bodies } = await server((_, response, __, call) =>
    json(response, 200, reply(call < 3 ? [null, -0.5, -1.25, -7] : [null, null, -1, -2])),
  );
  const [scored, prompt] = [model(url), { kind: "text", text: "abc" } as const];
  const score = async (): Promise<unknown> =>
    (await scored.complete({ ...request({ prompt }), scorePrompt: true })).promptLogProbs;
  expect(await score()).toEqual([null, -0.5, -1.25]);
  expect(bodies).toEqual([{ model: "tiny", temperature: 0, max_tokens: 1, prompt: "abc", echo: true, logprobs: 1 }]);
  expect((await scored.complete(request({ prompt }))).promptLogProbs).toBeUndefined();
  expect(await score()).toBeUndefined();
  await expect(scored.complete({ ...request(), scorePrompt: true })).rejects.toFailWith("config_invalid");
});
