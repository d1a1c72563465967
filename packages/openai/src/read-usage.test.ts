import { randomFromSeed } from "@laconic/core";
import { isConsistentUsage, sumKinds } from "@laconic/core/ledger";
import { readFileSync } from "node:fs";
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

const reported = readFileSync(new URL("../test/reported-usage.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as readonly [server: string, reply: object, counts: Counts]);

test.for(reported)("reads the counts of %s", ([, reply, counts]) => {
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
