import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type LaconicError } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { answer, canary, json, model, request, server } from "../test/fake-api.ts";
import { SpendAccount, type ApiEvent } from "./index.ts";

describe("the cache", () => {
  test("answers the same request, and no other; damage is a miss; failures are not kept", async () => {
    const path = await temporaryFolder();
    const { url, bodies } = await server((_, response, __, call) =>
      call === 1 ? json(response, 400, { error: { message: "no" } }) : json(response, 200, answer(`answer ${call}`)),
    );
    const cached = model(url, { cache: { folder: path } });
    await cached.complete(request()).catch(() => undefined);
    const first = await cached.complete(request());
    expect(await cached.complete(request())).toEqual(first);
    expect((await cached.complete(request({ random: randomFromSeed(9).state() }))).text).toBe("answer 3");
    expect((await model(url, { cache: { folder: path }, weightVersion: 1 }).complete(request())).text).toBe("answer 4");
    const files = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(".json"));
    expect(files).toHaveLength(3);
    for (const file of files) {
      expect(await readFile(join(path, file), "utf8")).not.toContain(canary);
      await writeFile(join(path, file), "{");
    }
    await cached.complete(request());
    expect(bodies).toHaveLength(5);
  });
  test("stays within its size", async () => {
    const path = await temporaryFolder();
    const { url } = await server((_, response) => json(response, 200, answer("x".repeat(1000))));
    const cached = model(url, { cache: { folder: path, maxBytes: 4000 } });
    for (let seed = 0; seed < 12; seed++) await cached.complete(request({ random: randomFromSeed(seed).state() }));
    const files = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(".json"));
    expect(files.length).toBeLessThanOrEqual(4);
  });

  const files = async (path: string): Promise<string[]> =>
    (await readdir(path, { recursive: true })).filter((name) => name.endsWith(".json") || name.endsWith(".part"));

  test("what cannot be kept is answered all the same, counted, and said once", async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, "taken"), "");
    const events: ApiEvent[] = [];
    const { url, bodies } = await server((_, response, __, call) => json(response, 200, answer(`answer ${call}`)));
    const cached = model(url, { cache: { folder: join(path, "taken") }, onEvent: (event) => events.push(event) });
    const texts = await Promise.all(
      Array.from({ length: 60 }, async (_, seed) => {
        return (await cached.complete(request({ random: randomFromSeed(seed).state() }))).text;
      }),
    );
    expect([new Set(texts).size, bodies.length, cached.cacheFailures]).toEqual([60, 60, 60]);
    expect(events).toEqual([{ kind: "cache-failed", reason: expect.stringContaining("taken") }]);
    expect(await files(path)).toEqual([]);
  });

  test("keeps token ids and log-probs", async () => {
    const path = await temporaryFolder();
    const { url } = await server((_, response) =>
      json(response, 200, {
        choices: [
          { message: { content: "hi" }, token_ids: [5, 0], logprobs: { content: [{ logprob: -1 }, { logprob: 0 }] } },
        ],
        prompt_token_ids: [1],
      }),
    );
    const cached = model(url, { cache: { folder: path }, trace: true });
    const first = await cached.complete(request());
    expect(first.trace).toEqual({ promptTokens: [1], tokens: [5, 0], logProbs: [-1, 0] });
    expect(await cached.complete(request())).toEqual(first);
  });

  test("the same request in flight is sent and paid once; another stream is another request", async () => {
    const account = new SpendAccount(1000);
    const { url, bodies } = await server((_, response, __, call) =>
      setTimeout(() => json(response, 200, answer(`answer ${call}`)), 30),
    );
    const price = { prompt: 1e6, completion: 1e6 };
    const cached = model(url, { cache: { folder: await temporaryFolder() }, account, price });
    const seeds = [1, 2, 1, 2, 1];
    const texts = await Promise.all(
      seeds.map(async (seed) => (await cached.complete(request({ random: randomFromSeed(seed).state() }))).text),
    );
    expect(new Set(texts.filter((_, i) => seeds[i] === 1)).size).toBe(1);
    expect([new Set(texts).size, bodies.length, account.spentUsd]).toEqual([2, 2, 18]);
  });

  test("without a cache nothing is shared", async () => {
    const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
    const plain = model(url);
    await Promise.all([plain.complete(request()), plain.complete(request())]);
    expect(bodies).toHaveLength(2);
  });

  test("who aborts leaves alone; when nobody waits, the request ends and the next one asks again", async () => {
    let dropped = 0;
    const { url, bodies } = await server((incoming, response, __, call) => {
      incoming.socket.once("close", () => dropped++);
      if (call !== 2) setTimeout(() => json(response, 200, answer(`answer ${call}`)), 60);
    });
    const cached = model(url, { cache: { folder: await temporaryFolder() } });
    const ask = (controller: AbortController, seed: number): Promise<unknown> =>
      cached.complete(request({ signal: controller.signal, random: randomFromSeed(seed).state() })).then(
        ({ text }) => text,
        (error: unknown) => (error as LaconicError).code,
      );
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [ask(first, 1), ask(second, 1)];
    first.abort();
    expect(await Promise.all(both)).toEqual(["aborted", "answer 1"]);
    expect(bodies).toHaveLength(1);
    const [third, fourth] = [new AbortController(), new AbortController()];
    const none = [ask(third, 2), ask(fourth, 2)];
    while (bodies.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    third.abort();
    fourth.abort();
    expect(await Promise.all(none)).toEqual(["aborted", "aborted"]);
    expect(await ask(new AbortController(), 2)).toBe("answer 3");
    expect(dropped).toBeGreaterThan(0);
  });

  test("a failure is everybody's, and is not kept", async () => {
    const { url, bodies } = await server((_, response, __, call) =>
      call === 1
        ? setTimeout(() => json(response, 400, { error: { message: "no" } }), 30)
        : json(response, 200, answer("ok")),
    );
    const cached = model(url, { cache: { folder: await temporaryFolder() } });
    const ended = await Promise.allSettled([cached.complete(request()), cached.complete(request())]);
    expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await cached.complete(request())).text).toBe("ok");
    expect(bodies).toHaveLength(2);
  });
});
