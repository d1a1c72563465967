import { type LaconicError, randomFromSeed } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { answer, json, model, request, server } from "../test/fake-api.ts";
import { SpendAccount, type ApiEvent } from "./index.ts";

describe("spending", () => {
  const price = { prompt: 1e6, completion: 1e6 }; // a dollar a token
  const max = 2 + 8 + 48; // tokens of "hi": one a byte, and what a template may add
  test("is the server's count; the rest of the reservation is released", async () => {
    const account = new SpendAccount(100);
    const { url } = await server((_, response) => json(response, 200, answer("ok")));
    await model(url, { account, price }).complete(request());
    expect([account.spentUsd, account.reservedUsd]).toEqual([9, 0]);
  });
  test("stops before the call that could pass the cap", async () => {
    const account = new SpendAccount(69); // "hi" is at most 2 + 8 + 48 tokens, with the reply 66
    const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
    const tiny = model(url, { account, price });
    await tiny.complete(request());
    await expect(tiny.complete(request())).rejects.toFailWith("budget_refused");
    expect(bodies).toHaveLength(1);
  });
  test.each([
    [200, 10],
    [100, 4],
  ])("calls side by side wait for what others leave of a cap of %d: %d are answered", async (cap, answered) => {
    const account = new SpendAccount(cap); // each call may cost 66 and costs 9
    const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
    const tiny = model(url, { account, price });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => tiny.complete(request())));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect([bodies.length, account.spentUsd, account.reservedUsd]).toEqual([answered, 9 * answered, 0]);
    expect(refusals).toEqual(
      Array.from({ length: 10 - answered }, () => expect.objectContaining({ code: "budget_refused" })),
    );
  });
  test("a waiting call ends when aborted, and later calls continue", async () => {
    const account = new SpendAccount(100);
    const first = await account.reserve(60);
    const stop = new AbortController();
    const large = account.reserve(90, stop.signal);
    const small = account.reserve(30);
    stop.abort(new Error("no longer wanted"));
    await expect(large).rejects.toMatchObject({ code: "aborted", cause: { message: "no longer wanted" } });
    await (await small).settle(30);
    await first.settle(60);
    await expect(account.reserve(20)).rejects.toFailWith("budget_refused");
    expect([account.spentUsd, account.reservedUsd]).toEqual([90, 0]);
  });
  test("continues from the earlier spending", async () => {
    const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
    const account = new SpendAccount(100, 35); // one call may cost 66
    await expect(model(url, { account, price }).complete(request())).rejects.toFailWith("budget_refused");
    expect([bodies.length, account.spentUsd]).toEqual([0, 35]);
    expect(() => new SpendAccount(1, Number.NaN)).toThrow(/spentUsd: .*NaN/u);
  });
  test("charges an attempt with an unknown end in full, and a refused one nothing", async () => {
    const account = new SpendAccount(1000);
    const { url } = await server((incoming) => void incoming.socket.destroy());
    await model(url, { account, price, attempts: 2 })
      .complete(request())
      .catch(() => undefined);
    expect(account.spentUsd).toBe(2 * (max + 8)); // two attempts of "hi" and eight tokens
    const refused = await server((_, response) => json(response, 400, { error: { message: "no" } }));
    await model(refused.url, { account, price })
      .complete(request())
      .catch(() => undefined);
    expect([account.spentUsd, account.reservedUsd]).toEqual([2 * (max + 8), 0]);
  });
  const billed = { prompt_tokens: 4, completion_tokens: 8, total_tokens: 12 };
  const lost = { code: 502, message: "lost" };
  test.each<[string, number, object, boolean]>([
    ["counts tokens", 500, { error: lost, usage: billed }, true],
    ["counts them as Gemini does", 500, [{ error: lost, usageMetadata: { totalTokenCount: 12 } }], true],
    ["names a cost", 502, { error: lost, usage: { cost: 0.5 } }, true],
    ["stands in a choice of a reply that counts tokens", 200, { choices: [{ error: lost }], usage: billed }, true],
    ["counts nothing", 500, { error: lost }, false],
    ["counts no tokens", 500, { error: lost, usage: { prompt_tokens: 0 } }, false],
    ["has no usage", 500, { error: lost, usage: null }, false],
  ])("an error that %s, status %d", async (_, status, body, isCharged) => {
    const account = new SpendAccount(1000);
    const { url } = await server((__, response) => json(response, status, body));
    await expect(model(url, { account, price, attempts: 1 }).complete(request())).rejects.toFailWith("api_unavailable");
    expect([account.spentUsd, account.reservedUsd]).toEqual([isCharged ? max + 8 : 0, 0]);
  });
  test("a cap without a price is refused", () => {
    expect(() => model("http://localhost:1/v1", { account: new SpendAccount(1) })).toFailWith("budget_refused");
    expect(() => new SpendAccount(0)).toThrow(/maxUsd: .*got 0/u);
  });

  test("a redirect is not charged or retried, and the key is sent nowhere else", async () => {
    const account = new SpendAccount(1000);
    const other = await server((_, response) => json(response, 200, answer("stolen")));
    const { url, bodies } = await server(
      (_, response) => void response.writeHead(307, { location: `${other.url}/chat/completions?token=1` }).end(),
    );
    const error: unknown = await model(url, { account, price })
      .complete(request())
      .catch((caught: unknown) => caught);
    expect(error).toFailWith("api_refused", `redirects to ${other.url}/chat/completions, which is not followed`, {
      status: 307,
    });
    expect((error as Error).message).not.toContain("token=1");
    expect([account.spentUsd, account.reservedUsd, bodies.length, other.bodies.length]).toEqual([0, 0, 1, 0]);
  });
  test("a gateway without a reply is charged in full", async () => {
    const account = new SpendAccount(1000);
    const { url } = await server((_, response) => json(response, 504, { error: { message: "upstream timed out" } }));
    await model(url, { account, price, attempts: 1 })
      .complete(request())
      .catch(() => undefined);
    expect(account.spentUsd).toBe(max + 8);
  });
  test.for([
    ["no usage", { usage: null }],
    ["a usage of zeros", { usage: { prompt_tokens: 0, completion_tokens: 0 } }],
  ] as const)("a server that reports %s spends at most the cap: a token a byte is counted", async ([, usage]) => {
    const account = new SpendAccount(1000);
    const { url, bodies } = await server((_, response) => json(response, 200, answer("数学数学", usage)));
    const tiny = model(url, { account, price });
    const { usage: guessed } = await tiny.complete(request());
    expect(guessed).toEqual({ promptTokens: 1, completionTokens: 1, counted: "estimate" });
    expect(account.spentUsd).toBe(max + 12 + 1);
    while (bodies.length < 99 && (await tiny.complete(request()).catch(() => null)));
    expect([bodies.length, account.spentUsd]).toEqual([14, 14 * (max + 13)]); // 994 of 1000
  });
  test("reasoning text is counted if the server does not count it", async () => {
    const account = new SpendAccount(1000);
    const message = { content: "4", reasoning_content: "two and two" };
    const { url } = await server((_, response) => json(response, 200, { choices: [{ message }] }));
    const { text, usage } = await model(url, { account, price }).complete(request());
    expect([text, usage.completionTokens, account.spentUsd]).toEqual(["4", 3, max + 12 + 1]);
  });
  test("output beyond the ceiling is charged, reported once, expected from then on, and bounded by the cap", async () => {
    const account = new SpendAccount(1000);
    const events: ApiEvent[] = [];
    const { url, bodies } = await server((_, response) =>
      json(response, 200, answer("word ".repeat(200), { usage: { prompt_tokens: 58, completion_tokens: 200 } })),
    );
    const tiny = model(url, { account, price, onEvent: (event) => events.push(event) });
    const codes: unknown[] = [];
    for (let i = 0; i < 6; i++)
      await tiny.complete(request()).catch((error: unknown) => codes.push((error as LaconicError).code));
    // A call costs 258: three cost 774, and a fourth would exceed 1000.
    expect([bodies.length, account.spentUsd, codes]).toEqual([3, 774, Array(3).fill("budget_refused")]);
    expect(events).toEqual([{ kind: "ceiling-ignored", maxTokens: 8, completionTokens: 200 }]);
  });
  test("under a cap, concurrent calls wait until a reply shows the real cost", async () => {
    const account = new SpendAccount(1000);
    const usage = { prompt_tokens: 58, completion_tokens: 200 };
    const { url, bodies } = await server((_, response, __, call) => {
      if (call === 1) json(response, 503, { error: { message: "busy" } });
      else setTimeout(() => json(response, 200, answer("word ".repeat(200), { usage })), 20);
    });
    const tiny = model(url, { account, price });
    const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => tiny.complete(request())));
    // A call costs 258 but reserves 66 before the reply: nine calls would cost 2,322.
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect([bodies.length, account.spentUsd]).toEqual([4, 774]);
  });
  test("concurrent calls without a cap do not wait", async () => {
    const waiting: (() => void)[] = [];
    const { url } = await server((_, response) => {
      waiting.push(() => json(response, 200, answer("ok")));
      if (waiting.length === 5) for (const reply of waiting) reply();
    });
    const tiny = model(url, { account: new SpendAccount() });
    await Promise.all(Array.from({ length: 5 }, () => tiny.complete(request())));
  });
  test("spending on random servers passes the cap by at most one longest reply", async () => {
    const random = randomFromSeed(3);
    for (let i = 0; i < 12; i++) {
      const [ceiling, excess, cap] = [1 + random.integer(40), 1 + random.integer(5), 200 + random.integer(2000)];
      const account = new SpendAccount(cap);
      let longest = 0;
      const { url, bodies } = await server((_, response) => {
        const written = 1 + random.integer(ceiling * excess);
        longest = Math.max(longest, written);
        const usage = random.uniform() < 0.5 ? null : { prompt_tokens: 50, completion_tokens: written };
        json(response, 200, answer("x".repeat(written), { usage }));
      });
      const tiny = model(url, { account, price });
      const sampling = { temperature: 0, maxTokens: ceiling };
      while (bodies.length < 200 && (await tiny.complete(request({ sampling })).catch(() => null)));
      expect(bodies.length).toBeLessThan(200);
      expect(account.spentUsd).toBeLessThanOrEqual(cap + longest + 1);
    }
  });
});
