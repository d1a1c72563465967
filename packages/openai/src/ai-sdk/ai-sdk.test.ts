import { LaconicError, randomFromSeed, type CompletionRequest, type LanguageModel } from "@laconic/core";
import { languageModelCases, scriptedModel, tableTokenizer } from "@laconic/core/testing";
import {
  APICallError,
  generateText,
  InvalidResponseDataError,
  LoadAPIKeyError,
  streamText,
  tool,
  type LanguageModel as SdkModel,
} from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SpendAccount } from "../spend-account.ts";
import { fromAiSdk } from "./from-ai-sdk.ts";
import type { AiSdkModel } from "./sdk-types.ts";
import { toAiSdk } from "./to-ai-sdk.ts";

type Generate = ConstructorParameters<typeof MockLanguageModelV3>[0] & object;
type Reply = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;

const said = (text: string, change: Partial<Reply> = {}): Reply => ({
  content: [{ type: "text", text }],
  finishReason: { unified: "stop", raw: "end_turn" },
  usage: {
    inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 3, text: 3, reasoning: 0 },
  },
  warnings: [],
  ...change,
});

const mock = (doGenerate: NonNullable<Generate["doGenerate"]>): MockLanguageModelV3 =>
  new MockLanguageModelV3({ provider: "mock", modelId: "mock-1", doGenerate });

const request: CompletionRequest = {
  prompt: {
    kind: "messages",
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "2 + 2?" },
      { role: "assistant", content: "4" },
      { role: "user", content: "sure?" },
    ],
  },
  sampling: { temperature: 0.5, maxTokens: 8, topP: 0.9, topK: 5, stop: ["\n"] },
  random: randomFromSeed(1).state(),
};

describe("an AI SDK model as a Laconic model", () => {
  test.each(languageModelCases({ kind: "messages", messages: [{ role: "user", content: "hi" }] }))(
    "$name",
    async ({ run }) => {
      const one = {
        inputTokens: { ...said("").usage.inputTokens },
        outputTokens: { ...said("").usage.outputTokens, total: 1 },
      };
      await run(() =>
        fromAiSdk(
          mock(({ stopSequences = [] }) =>
            Promise.resolve(said(stopSequences.includes("h") ? "" : "hello", { usage: one })),
          ),
        ),
      );
    },
  );

  test("sends the SDK's request, and returns text, usage and finish reason", async () => {
    const sdk = mock(() => Promise.resolve(said("yes", { finishReason: { unified: "length", raw: "max_tokens" } })));
    const completion = await fromAiSdk(sdk).complete(request);
    expect(completion).toEqual({
      text: "yes",
      finishReason: "length",
      usage: { promptTokens: 7, completionTokens: 3, counted: "server" },
      model: { id: "mock-1", weightVersion: 0 },
    });
    const { abortSignal, seed, ...asked } = sdk.doGenerateCalls[0] as (typeof sdk.doGenerateCalls)[0];
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(Number.isInteger(seed)).toBe(true);
    expect(asked).toEqual({
      prompt: [
        { role: "system", content: "be brief" },
        { role: "user", content: [{ type: "text", text: "2 + 2?" }] },
        { role: "assistant", content: [{ type: "text", text: "4" }] },
        { role: "user", content: [{ type: "text", text: "sure?" }] },
      ],
      temperature: 0.5,
      maxOutputTokens: 8,
      topP: 0.9,
      topK: 5,
      stopSequences: ["\n"],
    });
  });

  test("accepts the older specification, and estimates missing counts including reasoning", async () => {
    const older: Extract<SdkModel, { specificationVersion: "v2" }> = {
      specificationVersion: "v2",
      provider: "mock",
      modelId: "older",
      supportedUrls: {},
      doStream: () => Promise.reject(new Error("not asked")),
      doGenerate: () =>
        Promise.resolve({
          content: [
            { type: "reasoning", text: "t".repeat(36) },
            { type: "text", text: "four" },
          ],
          finishReason: "content-filter",
          usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
          warnings: [{ type: "unsupported-setting", setting: "seed" }],
        }),
    };
    const ignored: string[] = [];
    const model = fromAiSdk(older, { onIgnored: (setting) => ignored.push(setting) });
    const { text, finishReason, usage } = await model.complete(request);
    await model.complete(request);
    expect([text, finishReason, usage.completionTokens, usage.counted]).toEqual(["four", "refusal", 10, "estimate"]);
    expect(ignored).toEqual(["seed"]);
  });

  test("counts spending and respects a cap", async () => {
    const account = new SpendAccount(1);
    const price = { prompt: 1e5, completion: 1e5 };
    const model = fromAiSdk(
      mock(() => Promise.resolve(said("yes"))),
      { account, price },
    );
    await expect(model.complete(request)).rejects.toFailWith("budget_refused");
    expect(() =>
      fromAiSdk(
        mock(() => Promise.resolve(said(""))),
        { account },
      ),
    ).toThrow(/price of mock-1/u);
  });

  const callError = (statusCode: number, responseBody: string): APICallError =>
    new APICallError({
      message: "failed",
      url: "https://api.example",
      requestBodyValues: {},
      statusCode,
      responseBody,
    });

  test("charges billable calls: an error with token counts, a reply that the SDK cannot read", async () => {
    const usage = { input_tokens: 4, output_tokens: 8 };
    for (const [failure, isCharged] of [
      [callError(503, JSON.stringify({ error: { message: "lost" }, usage })), true],
      [callError(503, "later"), false],
      [new InvalidResponseDataError({ data: {}, message: "no choices" }), true],
      [new LoadAPIKeyError({ message: "the key is missing" }), false],
    ] as const) {
      const account = new SpendAccount();
      const model = fromAiSdk(
        mock(() => Promise.reject(failure)),
        { account, price: { prompt: 0, completion: 1e6 }, attempts: 1 },
      );
      await expect(model.complete(request)).rejects.toBeInstanceOf(LaconicError);
      expect(account.spentUsd).toBe(isCharged ? 8 : 0);
    }
  });

  test("retries temporary failures; permanent ones become errors with their code", async () => {
    const failures: Error[] = [callError(503, "later"), callError(200, "<html>"), new TypeError("fetch failed")];
    const reasons: string[] = [];
    const patient = fromAiSdk(
      mock(() => {
        const failure = failures.shift();
        return failure ? Promise.reject(failure) : Promise.resolve(said("yes"));
      }),
      { onEvent: (event) => event.kind === "retry" && reasons.push(event.reason) },
    );
    expect((await patient.complete(request)).text).toBe("yes");
    expect(reasons).toEqual(["503: later", "failed", "fetch failed"]);
    for (const [failure, code] of [
      [callError(401, '{"error":{"message":"no key"}}'), "api_refused"],
      [callError(429, '{"error":{"code":"insufficient_quota"}}'), "budget_refused"],
      [new LoadAPIKeyError({ message: "the key is missing" }), "api_refused"],
    ] as const) {
      const model = mock(() => Promise.reject(failure));
      await expect(fromAiSdk(model).complete(request)).rejects.toMatchObject({ code });
      expect(model.doGenerateCalls).toHaveLength(1);
    }
    const broken = mock(() => Promise.resolve(said("ha", { finishReason: { unified: "error", raw: undefined } })));
    await expect(fromAiSdk(broken).complete(request)).rejects.toFailWith("reply_malformed");
    expect(broken.doGenerateCalls).toHaveLength(2);
  });

  test("rejects requests that the SDK cannot express, before sending them", async () => {
    const sdk = mock(() => Promise.resolve(said("")));
    const model = fromAiSdk(sdk);
    const wrong: Partial<CompletionRequest>[] = [
      { prompt: { kind: "text", text: "go on" } },
      { prompt: { kind: "tokens", tokens: [1] } },
      { sampling: { ...request.sampling, minP: 0.1 } },
    ];
    for (const change of wrong)
      await expect(model.complete({ ...request, ...change })).rejects.toFailWith("config_invalid");
    expect(sdk.doGenerateCalls).toEqual([]);
  });
});

const tokenizer = tableTokenizer();

function writer(text: string): LanguageModel {
  return {
    id: "writer",
    async complete({ signal, onToken, sampling }) {
      const tokens = [...tokenizer.encode(text), tokenizer.endToken].slice(0, sampling.maxTokens);
      for (const token of tokens) {
        await new Promise((done) => setTimeout(done));
        if (signal?.aborted) throw new LaconicError("aborted", "the request was aborted");
        onToken?.({ token, logProb: -1 });
      }
      return {
        text: tokenizer.decode(tokens),
        finishReason: tokens.length > text.length ? "stop" : "length",
        usage: { promptTokens: 2, completionTokens: tokens.length, counted: "model" },
        model: { id: "writer", weightVersion: 3 },
      };
    },
  };
}

describe("a Laconic model as an AI SDK model", () => {
  const four = scriptedModel("four");
  const sdkModel = (...args: Parameters<typeof toAiSdk>): SdkModel => toAiSdk(...args);

  test("generateText returns text, usage and finish reason, and passes its settings on", async () => {
    const scripted = scriptedModel("four", "policy");
    const { text, usage, finishReason, response } = await generateText({
      model: sdkModel(scripted),
      system: "be brief",
      prompt: "2 + 2?",
      temperature: 0.5,
      maxOutputTokens: 9,
      seed: 4,
      stopSequences: ["\n"],
    });
    expect([text, finishReason, usage.inputTokens, usage.outputTokens]).toEqual(["four", "stop", 14, 5]);
    expect(response.modelId).toBe("policy");
    expect(scripted.calls[0]).toMatchObject({
      prompt: {
        kind: "messages",
        messages: [
          { role: "system", content: "be brief" },
          { role: "user", content: "2 + 2?" },
        ],
      },
      sampling: { temperature: 0.5, maxTokens: 9, stop: ["\n"] },
      random: randomFromSeed(4).state(),
    });
  });

  test("generateText returns token counts by kind", async () => {
    const usage = {
      promptTokens: 14,
      cachedTokens: 6,
      completionTokens: 9,
      reasoningTokens: 5,
      counted: "server",
    } as const;
    const model: LanguageModel = {
      ...four,
      complete: async (asked) => ({ ...(await four.complete(asked)), usage }),
    };
    const told = (await generateText({ model: sdkModel(model), prompt: "2 + 2?" })).usage;
    expect(told).toMatchObject({
      inputTokens: 14,
      inputTokenDetails: { noCacheTokens: 8, cacheReadTokens: 6 },
      outputTokens: 9,
      outputTokenDetails: { textTokens: 4, reasoningTokens: 5 },
    });
    // The other adapter reads equal usage.
    expect((await fromAiSdk(toAiSdk(model)).complete(request)).usage).toEqual(usage);
  });

  test("streamText returns one piece per token with a tokenizer, else a single piece", async () => {
    for (const [options, pieces] of [
      [{ tokenizer }, ["f", "o", "u", "r"]],
      [{}, ["four"]],
    ] as const) {
      const result = streamText({ model: sdkModel(writer("four"), options), prompt: "2 + 2?" });
      const seen: string[] = [];
      for await (const piece of result.textStream) seen.push(piece);
      expect(seen).toEqual(pieces);
      expect([await result.finishReason, (await result.usage).outputTokens]).toEqual(["stop", 5]);
    }
  });

  test("an abort raises the SDK's abort error, streamed or not", async () => {
    const input = { model: sdkModel(writer("a".repeat(500)), { tokenizer }), prompt: "go" };
    await expect(generateText({ ...input, abortSignal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
    const own = new AbortController();
    let aborted = 0;
    let seen = 0;
    const result = streamText({ ...input, abortSignal: own.signal, onAbort: () => void aborted++ });
    for await (const part of result.fullStream) if (part.type === "text-delta" && ++seen === 3) own.abort();
    expect(aborted).toBe(1);
    expect(seen).toBeLessThan(500);
  });

  test("a failure rejects the call, or is a part of the stream", async () => {
    const fails: LanguageModel = {
      id: "fails",
      complete: () => Promise.reject(new LaconicError("engine_failed", "it broke")),
    };
    await expect(generateText({ model: sdkModel(fails), prompt: "go" })).rejects.toThrow("it broke");
    const errors: unknown[] = [];
    const result = streamText({
      model: sdkModel(fails),
      prompt: "go",
      onError: ({ error }) => void errors.push(error),
    });
    for await (const part of result.fullStream) void part;
    expect(errors).toEqual([expect.objectContaining({ code: "engine_failed" })]);
  });

  test("rejects tools, files, JSON and penalties by name", async () => {
    const model = sdkModel(scriptedModel("four"));
    const none = tool({ description: "none", inputSchema: z.object({ query: z.string() }), execute: () => "" });
    await expect(generateText({ model, prompt: "go", tools: { none } })).rejects.toThrow("tools: not supported");
    await expect(generateText({ model, prompt: "go", presencePenalty: 1 })).rejects.toThrow(
      "presencePenalty: not supported",
    );
    const image = { type: "image" as const, image: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) };
    await expect(generateText({ model, messages: [{ role: "user", content: [image] }] })).rejects.toThrow("got file");
    const json = toAiSdk(scriptedModel("4")).doStream({ prompt: [], responseFormat: { type: "json" } });
    await expect(json).rejects.toFailWith("input_invalid", { key: "responseFormat json" });
  });

  test("converting to the SDK and back gives the same model", async () => {
    const there: AiSdkModel = toAiSdk(scriptedModel("four", "policy"));
    const { text, usage, model } = await fromAiSdk(there).complete({
      ...request,
      sampling: { temperature: 1, maxTokens: 9 },
    });
    expect([text, usage.completionTokens, model.id]).toEqual(["four", 5, "policy"]);
  });
});
