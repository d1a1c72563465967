import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type Completion, type CompletionRequest, type TokenUsage } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { answer, canary, json, model, request, server } from "../test/fake-api.ts";
import {
  openSpendJournal,
  readSpendJournal,
  SpendAccount,
  type OpenAiModel,
  type OpenAiModelOptions,
} from "./index.ts";

async function journalPath(): Promise<string> {
  return join(await temporaryFolder(), "spending.jsonl");
}

const price = { prompt: 0, completion: 1e6 }; // a dollar a token: the reply has 2, and may have 8

test("writes a call to disk before sending it, and settles it afterwards", async () => {
  const path = await journalPath();
  const seen: number[] = [];
  const { url } = await server((_, response) => {
    void readSpendJournal(path).then((totals) => {
      seen.push(totals?.unsettled.usd ?? 0);
      json(response, 200, answer("ok"));
    });
  });
  const { account, tiny, close } = await continued(path, url);
  await tiny.complete(request());
  await close();
  expect([seen, account.spentUsd]).toEqual([[8], 2]);
  expect(await readSpendJournal(path)).toEqual({ spentUsd: 2, calls: 1, unsettled: { calls: 0, usd: 0 } });
});

test("every attempt is a call: a failed one is free, an unknown one costs its reservation", async () => {
  const path = await journalPath();
  const { url, bodies } = await server((incoming, response, _, call) => {
    if (call === 1) json(response, 400, { error: { message: "no" } });
    else incoming.socket.destroy();
  });
  const { tiny, close } = await continued(path, url, { attempts: 1 });
  for (let i = 0; i < 2; i++) await tiny.complete(request()).catch(() => undefined);
  await close();
  expect(bodies).toHaveLength(2);
  expect(await readSpendJournal(path)).toEqual({ spentUsd: 8, calls: 2, unsettled: { calls: 0, usd: 0 } });
});

test("a journal cut at any byte still counts every call that may have been sent", async () => {
  const path = await journalPath();
  const random = randomFromSeed(1);
  const journal = await openSpendJournal(path, 5);
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const settle = await journal.begin(3);
      if (random.uniform() < 0.8) await settle(random.integer(4));
    }),
  );
  await journal.close();
  const text = await readFile(path, "utf8");
  for (let end = 0; end <= text.length; end += 41) {
    const part = text.slice(0, end);
    await writeFile(path, part);
    const [whole] = [part.split("\n").slice(0, -1)];
    const lines = whole.map(
      (line) => JSON.parse(line) as { before?: number; call?: number; reserved?: number; usd?: number },
    );
    const begun = lines.filter(({ reserved }) => reserved !== undefined);
    const settled = lines.filter(({ usd }) => usd !== undefined);
    const spentUsd =
      (lines[0]?.before ?? 0) +
      3 * (begun.length - settled.length) +
      settled.reduce((sum, { usd = 0 }) => sum + usd, 0);
    const again = await openSpendJournal(path, 5);
    expect(again.before).toMatchObject({ calls: begun.length, spentUsd: lines.length === 0 ? 5 : spentUsd });
    // The torn line is removed, and numbering continues.
    await (
      await again.begin(1)
    )(1);
    await again.close();
    expect((await readSpendJournal(path))?.spentUsd).toBe(again.before.spentUsd + 1);
  }
});

test("reports damage, and sends no call if the journal cannot be written", async () => {
  const path = await journalPath();
  await appendFile(path, '{"call":1,"reserved":1}\n{"call":1,"usd":-4}\n');
  await expect(readSpendJournal(path)).rejects.toFailWith("data_invalid", { row: 2 });
  await expect(openSpendJournal(join(path, "below"))).rejects.toBeInstanceOf(Error);
  const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
  const account = new SpendAccount(100);
  const journal = await openSpendJournal(`${path}.other`);
  account.keepIn(journal);
  await journal.close(); // writing fails from here on
  await expect(model(url, { account, price }).complete(request())).rejects.toFailWith("run_unwritable");
  expect([bodies.length, account.spentUsd, account.reservedUsd]).toEqual([0, 0, 0]);
});

test("on random usages and rates, spending is what the journal's tokens cost, and calls in flight alone pass the cap", async () => {
  const random = randomFromSeed(7);
  const rate = (): number => random.integer(40) / 4;
  const inFlight = 4;
  for (let round = 0; round < 12; round++) {
    const rates = { prompt: rate(), cached: rate(), cacheWrite: rate(), completion: rate(), reasoning: rate() };
    const rated: TokenPrice = random.uniform() < 0.3 ? { prompt: rates.prompt, completion: rates.completion } : rates;
    const { cached = rated.prompt, cacheWrite = rated.prompt, reasoning = rated.completion } = rated;
    const fetchReply = async (): Promise<Response> => {
      await new Promise((done) => setTimeout(done, random.integer(3)));
      const [read, c] = [
        [0, 1, 2].map(() => 1 + random.integer(30)) as [number, number, number],
        2 + random.integer(30),
      ];
      const p = read[0] + read[1] + read[2];
      const thought = random.integer(3) * random.integer(c);
      const usage = {
        prompt_tokens: p,
        completion_tokens: c,
        total_tokens: [p + c + (thought >= c ? thought : 0), undefined, 3][random.integer(3)],
        prompt_tokens_details: { cached_tokens: read[0], cache_write_tokens: read[1] },
        completion_tokens_details: { reasoning_tokens: thought },
        ...(random.uniform() < 0.3 && { cost: random.integer(900) / 1e6 }),
      };
      return Response.json(answer("x".repeat(1 + random.integer(9)), { usage }));
    };
    const path = await journalPath();
    const journal = await openSpendJournal(path);
    const account = new SpendAccount(0.02);
    account.keepIn(journal);
    const tiny = model("http://127.0.0.1:9/v1", { account, price: rated, fetch: fetchReply });
    const speaker = async (): Promise<void> => {
      for (let i = 0; i < 40; i++) if (!(await tiny.complete(request()).catch(() => null))) return;
    };
    await Promise.all(Array.from({ length: inFlight }, speaker));
    await journal.close();

    const lines = (await readFile(path, "utf8")).trim().split("\n");
    type Line = { call: number; reserved?: number; usd?: number; reply?: { usage: TokenUsage } };
    const entries = lines.map((line) => JSON.parse(line) as Line);
    let sum = 0;
    const excesses = entries.flatMap(({ call, usd, reply: { usage } = {} }) => {
      if (usd === undefined || !usage) return [];
      const { promptTokens, cachedTokens = 0, cacheWriteTokens = 0, completionTokens, reasoningTokens = 0 } = usage;
      const plain = promptTokens - cachedTokens - cacheWriteTokens;
      const read = plain * rated.prompt + cachedTokens * cached + cacheWriteTokens * cacheWrite;
      const wrote = (completionTokens - reasoningTokens) * rated.completion + reasoningTokens * reasoning;
      const cost = Math.max((read + wrote) / 1e6, usage.costUsd ?? 0);
      // Counts that are not the server's are charged at their upper bound.
      const charged = usage.counted === "server" ? cost : Math.max(usd, cost);
      expect(usd).toBeCloseTo(charged, 12);
      sum += charged;
      return [Math.max(0, usd - (entries.find((entry) => entry.call === call)?.reserved ?? 0))];
    });
    expect(excesses.length).toBeGreaterThan(inFlight);
    expect(account.spentUsd).toBeCloseTo(sum, 9);
    expect((await readSpendJournal(path))?.spentUsd).toBeCloseTo(account.spentUsd, 9);
    const worst = excesses.toSorted((a, b) => b - a).slice(0, inFlight);
    expect(account.spentUsd).toBeLessThanOrEqual(0.02 + worst.reduce((total, value) => total + value, 0) + 1e-9);
  }
});

test("a cap includes reasoning that is billed apart from the completion", async () => {
  const account = new SpendAccount(2000);
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 7,
    total_tokens: 517,
    completion_tokens_details: { reasoning_tokens: 500 },
  };
  const { url, bodies } = await server((_, response) => json(response, 200, answer("4", { usage })));
  const tiny = model(url, { account, price: { prompt: 0, completion: 1e6, reasoning: 2e6 } });
  while (bodies.length < 99 && (await tiny.complete(request()).catch(() => null)));
  // 7 dollars of text and 1,000 of reasoning; a second call would reserve as much at the higher rate.
  expect([bodies.length, account.spentUsd]).toEqual([1, 1007]);
});

async function continued(
  path: string,
  url: string,
  options: Partial<OpenAiModelOptions> = {},
): Promise<{ account: SpendAccount; tiny: OpenAiModel; close(): Promise<void> }> {
  const journal = await openSpendJournal(path);
  const account = new SpendAccount(100, journal.before.spentUsd);
  account.keepIn(journal);
  return { account, tiny: model(url, { account, price, ...options }), close: () => journal.close() };
}

test("replies of an earlier process are reused in order, once each, for equal requests, without cost", async () => {
  const path = await journalPath();
  const { url, bodies } = await server((_, response, __, call) => json(response, 200, answer(`reply ${call}`)));
  const asked = [1, 2, 2, 3].map((seed) => request({ random: randomFromSeed(seed).state() }));
  const first = await continued(path, url);
  const texts: string[] = [];
  for (const completionRequest of asked) texts.push((await first.tiny.complete(completionRequest)).text);
  await first.close();
  // The paying process does not reuse them: a repeated request is paid again.
  expect([texts, bodies.length, first.account.spentUsd]).toEqual([["reply 1", "reply 2", "reply 3", "reply 4"], 4, 8]);
  for (let resumed = 0; resumed < 2; resumed++) {
    const { account, tiny, close } = await continued(path, url);
    const again: Completion[] = [];
    for (const completionRequest of asked) again.push(await tiny.complete(completionRequest));
    expect([again.map(({ text }) => text), bodies.length, account.spentUsd]).toEqual([texts, 4, 8]);
    expect(again[0]?.usage).toEqual({ promptTokens: 7, completionTokens: 2, counted: "server" });
    await close();
  }
  const other = await continued(path, url);
  await other.tiny.complete(request({ random: randomFromSeed(3).state(), sampling: { temperature: 0, maxTokens: 7 } }));
  await model(url, { account: other.account, price, model: "small" }).complete(asked[0] as CompletionRequest);
  for (let i = 0; i < 3; i++) await other.tiny.complete(asked[1] as CompletionRequest);
  await other.close();
  expect([bodies.length, other.account.spentUsd]).toEqual([7, 14]);
});

test("a server's log-probs of a prompt are cached too; a reply with the key is not", async () => {
  const path = await journalPath();
  const { url, bodies } = await server((_, response, body) => {
    const logprobs = { token_logprobs: [null, -0.5, -1, -2] };
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    if ("echo" in body) json(response, 200, { choices: [{ finish_reason: "length", text: "abc", logprobs }], usage });
    else json(response, 200, answer(`your key is ${canary}`));
  });
  const scored = request({ prompt: { kind: "text", text: "ab" }, scorePrompt: true });
  for (let process = 0; process < 2; process++) {
    const { tiny, close } = await continued(path, url);
    expect((await tiny.complete(scored)).promptLogProbs).toEqual([null, -0.5, -1]);
    await tiny.complete(request());
    await close();
  }
  expect(bodies).toHaveLength(3);
  expect(await readFile(path, "utf8")).not.toContain("canary");
});
