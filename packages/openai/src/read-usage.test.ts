import { randomFromSeed } from "@laconic/core";
import { isConsistentUsage, sumKinds } from "@laconic/core/ledger";
import { describe, expect, test } from "vitest";
import { answer, json, model, request, server } from "../test/fake-api.ts";
import { readUsage } from "./read-usage.ts";

/** Prompt, cached, cache-write, completion and reasoning tokens, and US dollars. */
type Counts = readonly [p: number, cached: number, write: number, c: number, reasoning: number, usd?: number];

const expected = ([
  promptTokens,
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  reasoningTokens,
  costUsd = 0,
]: Counts) => ({
  promptTokens,
  completionTokens,
  ...sumKinds([{ cachedTokens, cacheWriteTokens, reasoningTokens, costUsd }]),
});

const openAi = (p: unknown, c: unknown, total?: unknown, more: object = {}): object => ({
  usage: { prompt_tokens: p, completion_tokens: c, total_tokens: total, ...more },
});
const thinks = (reasoning_tokens: unknown): object => ({ completion_tokens_details: { reasoning_tokens } });
const caches = (cached_tokens: unknown, more: object = {}): object => ({
  prompt_tokens_details: { cached_tokens, ...more },
});
const sdk3 = (input: object, output: object, raw?: object): object => ({
  usage: { inputTokens: input, outputTokens: output, raw },
});
const sdk2 = (inputTokens: unknown, outputTokens: unknown, more: object = {}): object => ({
  usage: { inputTokens, outputTokens, totalTokens: undefined, ...more },
});

test.for<readonly [server: string, reply: object, counts: Counts]>([
  ["OpenAI", openAi(10, 507, 517, thinks(500)), [10, 0, 0, 507, 500]],
  ["OpenAI with a cache", openAi(2006, 300, 2306, caches(1920)), [2006, 1920, 0, 300, 0]],
  ["Azure", openAi(9, 4, 13, { ...caches(0, { audio_tokens: 0 }), ...thinks(0) }), [9, 0, 0, 4, 0]],
  [
    "OpenAI's responses",
    {
      usage: {
        input_tokens: 75,
        input_tokens_details: { cached_tokens: 32 },
        output_tokens: 1186,
        output_tokens_details: { reasoning_tokens: 1024 },
        total_tokens: 1261,
      },
    },
    [75, 32, 0, 1186, 1024],
  ],
  [
    "Anthropic",
    {
      usage: { input_tokens: 21, cache_creation_input_tokens: 188086, cache_read_input_tokens: 40, output_tokens: 393 },
    },
    [188147, 40, 188086, 393, 0],
  ],
  [
    "Anthropic without a cache",
    { usage: { input_tokens: 12, cache_creation_input_tokens: null, output_tokens: 6 } },
    [12, 0, 0, 6, 0],
  ],
  [
    "Gemini",
    {
      usageMetadata: {
        promptTokenCount: 30,
        cachedContentTokenCount: 7,
        toolUsePromptTokenCount: 5,
        candidatesTokenCount: 12,
        thoughtsTokenCount: 3,
        totalTokenCount: 50,
      },
    },
    [35, 7, 0, 15, 3],
  ],
  [
    "Gemini cut off in its thoughts",
    { usageMetadata: { promptTokenCount: 30, thoughtsTokenCount: 90, totalTokenCount: 120 } },
    [30, 0, 0, 90, 90],
  ],
  ["Gemini's compatible interface", openAi(8, 4, 512), [8, 0, 0, 504, 500]],
  ["xAI", openAi(32, 9, 135, { ...caches(6), ...thinks(94) }), [32, 6, 0, 103, 94]],
  ["xAI with little reasoning", openAi(32, 90, 131, thinks(9)), [32, 0, 0, 99, 9]],
  ["xAI without a total", openAi(32, 9, undefined, thinks(94)), [32, 0, 0, 103, 94]],
  [
    "xAI with its cost",
    openAi(10120, 1499, 14428, { ...caches(128), ...thinks(2809), cost_in_usd_ticks: 232856000 }),
    [10120, 128, 0, 4308, 2809, 0.0232856],
  ],
  [
    "DeepSeek",
    openAi(100, 20, 120, { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }),
    [100, 64, 0, 20, 0],
  ],
  [
    "DeepSeek without a prompt count",
    { usage: { prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 28, total_tokens: 64 } },
    [40, 12, 0, 24, 0],
  ],
  ["Mistral", openAi(33, 5, 38, { num_cached_tokens: 16 }), [33, 16, 0, 5, 0]],
  ["Moonshot", openAi(33, 5, 38, { cached_tokens: 20 }), [33, 20, 0, 5, 0]],
  ["vLLM", openAi(11, 100, 111, { prompt_tokens_details: null }), [11, 0, 0, 100, 0]],
  ["SGLang", openAi(11, 100, 111, { reasoning_tokens: 80, ...caches(4) }), [11, 4, 0, 100, 80]],
  ["SGLang's own", { meta_info: { prompt_tokens: 11, completion_tokens: 9, cached_tokens: 10 } }, [11, 10, 0, 9, 0]],
  [
    "llama.cpp",
    { ...openAi(410, 40, 450), timings: { cache_n: 290, prompt_n: 120, predicted_n: 40 } },
    [410, 290, 0, 40, 0],
  ],
  ["llama.cpp without usage", { timings: { cache_n: 290, prompt_n: 120, predicted_n: 40 } }, [410, 290, 0, 40, 0]],
  ["llama.cpp's own", { tokens_evaluated: 17, tokens_predicted: 3 }, [17, 0, 0, 3, 0]],
  ["Ollama's own", { prompt_eval_count: 26, eval_count: 298 }, [26, 0, 0, 298, 0]],
  [
    "OpenRouter",
    openAi(194, 2, 196, {
      cost: 0.95,
      cost_details: { upstream_inference_cost: 19 },
      ...caches(0, { cache_write_tokens: 100 }),
      ...thinks(0),
    }),
    [194, 0, 100, 2, 0, 19],
  ],
  [
    "OpenRouter's generations",
    {
      usage: {
        native_tokens_prompt: 9,
        native_tokens_completion: 40,
        native_tokens_reasoning: 30,
        native_tokens_cached: 2,
        cost: 0.5,
        is_byok: false,
      },
    },
    [9, 2, 0, 40, 30, 0.5],
  ],
  [
    "LiteLLM",
    openAi(110, 7, 117, { cache_read_input_tokens: 100, cache_creation_input_tokens: 4 }),
    [110, 100, 4, 7, 0],
  ],
  [
    "a proxy that fills in both forms",
    openAi(9, 4, 13, { input_tokens: 0, output_tokens: 0, input_tokens_details: null }),
    [9, 0, 0, 4, 0],
  ],
  ["a server that counts its cache beside the prompt", openAi(50, 7, 97, caches(40)), [90, 40, 0, 7, 0]],
  ["a server that does not fill in totals", openAi(9, 4, 0), [9, 0, 0, 4, 0]],
  [
    "Bedrock",
    sdk2(10, 7, { cacheReadInputTokens: 500, cacheWriteInputTokens: 80, totalTokens: 597 }),
    [590, 500, 80, 7, 0],
  ],
  ["AI SDK v2", sdk2(100, 60, { totalTokens: 160, reasoningTokens: 50, cachedInputTokens: 30 }), [100, 30, 0, 60, 50]],
  [
    "AI SDK v2, reasoning beside the output",
    sdk2(100, 10, { totalTokens: 160, reasoningTokens: 50 }),
    [100, 0, 0, 60, 50],
  ],
  [
    "AI SDK v2 with Anthropic's own counts",
    {
      ...sdk2(4, 9, { totalTokens: 13, cachedInputTokens: 3 }),
      providerMetadata: {
        anthropic: {
          usage: { input_tokens: 4, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 9 },
        },
      },
    },
    [9, 3, 2, 9, 0],
  ],
  [
    "AI SDK v3",
    sdk3({ total: 100, noCache: 60, cacheRead: 30, cacheWrite: 10 }, { total: 60, text: 10, reasoning: 50 }),
    [100, 30, 10, 60, 50],
  ],
  [
    "AI SDK v3 without totals",
    sdk3(
      { total: undefined, noCache: 60, cacheRead: 30, cacheWrite: undefined },
      { total: undefined, text: 10, reasoning: 50 },
    ),
    [90, 30, 0, 60, 50],
  ],
  [
    "AI SDK v3 with the provider's own counts",
    sdk3(
      { total: 32 },
      { total: 90, reasoning: 9 },
      { prompt_tokens: 32, completion_tokens: 90, total_tokens: 131, ...thinks(9) },
    ),
    [32, 0, 0, 99, 9],
  ],
])("reads the counts of %s", ([, reply, counts]) => {
  expect(readUsage(reply)).toEqual({ ...expected(counts), agrees: true });
});

describe("impossible or contradictory counts", () => {
  test.for<readonly [lie: string, reply: unknown, counts: Counts]>([
    ["no usage", { choices: [] }, [0, 0, 0, 0, 0]],
    ["a reply that is no object", "usage", [0, 0, 0, 0, 0]],
    ["a usage that is a list", { usage: [1, 2] }, [0, 0, 0, 0, 0]],
    ["negative", openAi(-5, 7, 2), [0, 0, 0, 7, 0]],
    ["strings", openAi("10", "7", "17"), [0, 0, 0, 0, 0]],
    ["a string beside a total", openAi(10, "7", 517), [10, 0, 0, 507, 0]],
    ["fractions", openAi(10.5, 7, 17), [0, 0, 0, 17, 10]],
    ["huge", openAi(10, 2 ** 53, 2 ** 60), [10, 0, 0, 0, 0]],
    ["a completion alone", openAi(undefined, 500), [0, 0, 0, 500, 0]],
    ["reasoning alone", { usage: thinks(500) }, [0, 0, 0, 500, 500]],
    ["a total below the prompt", openAi(100, 7, 50), [100, 0, 0, 7, 0]],
    ["a total below the sum", openAi(100, 7, 106), [100, 0, 0, 7, 0]],
    ["more reasoning than the total allows", openAi(10, 7, 17, thinks(500)), [10, 0, 0, 507, 500]],
    ["more cached than the total allows", openAi(10, 7, 17, caches(5000)), [5010, 5000, 0, 7, 0]],
    ["reasoning that is no count", openAi(10, 7, 17, thinks(-1)), [10, 0, 0, 7, 0]],
    ["costs that are none", openAi(-1, 7, 17, { cost: -3, cost_in_usd_ticks: "9" }), [0, 0, 0, 17, 10]],
  ])("do not agree: %s", ([, reply, counts]) => {
    expect(readUsage(reply)).toEqual({ ...expected(counts), agrees: false });
  });

  test("on random replies parts never exceed their wholes, and no count is below a plausible one of the server", () => {
    const random = randomFromSeed(11);
    const values = [undefined, null, 0, 1, 7, 12, 500, 517, 1e9, -1, 0.5, "7", true, {}, [], Number.NaN, 2 ** 53];
    const any = (): unknown => values[random.integer(values.length)];
    let agreeing = 0;
    for (let i = 0; i < 3000; i++) {
      const [p, c, total, reasoning, cached, write] = [any(), any(), any(), any(), any(), any()];
      const usage = readUsage(
        openAi(p, c, total, { ...thinks(reasoning), ...caches(cached, { cache_write_tokens: write }) }),
      );
      const count = (value: unknown): number =>
        Number.isInteger(value) && (value as number) <= 1e9 ? Math.max(0, value as number) : 0;
      expect(isConsistentUsage(usage)).toBe(true);
      expect(usage.promptTokens).toBeGreaterThanOrEqual(Math.max(count(p), count(cached)));
      expect(usage.completionTokens).toBeGreaterThanOrEqual(Math.max(count(c), count(reasoning)));
      expect(usage.promptTokens + usage.completionTokens).toBeGreaterThanOrEqual(count(total));
      if (usage.agrees) agreeing += 1;
    }
    expect(agreeing).toBeGreaterThan(50);
  });
});

test.for([
  ["a prompt is missing", { completion_tokens: 500 }, { completionTokens: 500, counted: "estimate" }],
  [
    "all completion tokens are reasoning",
    { prompt_tokens: 5, completion_tokens: 500, ...thinks(500) },
    { completionTokens: 501, counted: "estimate" },
  ],
  [
    "the total is too small",
    { prompt_tokens: 900, completion_tokens: 5, total_tokens: 9 },
    { promptTokens: 900, completionTokens: 5, counted: "estimate" },
  ],
  [
    "all agrees",
    { prompt_tokens: 5, completion_tokens: 501, ...thinks(500) },
    { completionTokens: 501, counted: "server" },
  ],
] as const)("a completion has at least the server's count where %s", async ([, usage, counts]) => {
  for (const kind of ["chat", "text"] as const) {
    const choices = [
      { finish_reason: "stop", ...(kind === "chat" ? { message: { content: "four" } } : { text: "four" }) },
    ];
    const { url } = await server((_, response) => json(response, 200, answer("", { choices, usage })));
    const prompt = kind === "chat" ? request().prompt : { kind, text: "hi" };
    expect((await model(url).complete(request({ prompt }))).usage).toMatchObject(counts);
  }
});
