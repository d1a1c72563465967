import { once } from "node:events";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import {
  ledgerOf,
  meteredFetch,
  meterProxy,
  openStore,
  readCalls,
  Recorder,
  Spending,
  type Store,
} from "../src/index.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

const servers: Server[] = [];
const stores: Store[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
  for (const store of stores.splice(0)) store.close();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const reply = (text: string, model = "gpt-4o"): object => ({
  id: `chatcmpl-${text.length}`,
  model,
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
});

/** Upstream that keeps requests and sends the given raw replies. */
async function upstream(
  answer: (seen: Seen) => { status?: number; headers?: object; parts: readonly (string | Buffer)[]; cut?: boolean },
) {
  const seen: Seen[] = [];
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then(async (body) => {
      const one = {
        method: incoming.method,
        url: incoming.url,
        rawHeaders: incoming.rawHeaders,
        body: body.toString(),
      };
      seen.push(one);
      const { status = 200, headers = { "Content-Type": "application/json" }, parts, cut } = answer(one);
      outgoing.writeHead(status, { "X-Request-Id": "r-1", ...headers });
      for (const part of parts) {
        outgoing.write(part);
        await new Promise((done) => setTimeout(done, 5));
      }
      if (cut) outgoing.destroy();
      else outgoing.end();
    });
  });
  return { url: await listening(server), seen };
}

async function meter(url: string, limits: ConstructorParameters<typeof Spending>[0] = { agents: {} }, texts = true) {
  const folder = await temporaryFolder();
  const store = await openStore(folder, { texts, keepDays: 0 });
  stores.push(store);
  const gaps: string[] = [];
  const now = () => new Date("2026-11-29T12:00:00Z").getTime();
  const spending = new Spending(limits);
  const onCall = spending.add.bind(spending);
  const recorder = new Recorder({ store, now, onCall, onGap: (reason) => gaps.push(reason) });
  const options = {
    recorder,
    upstream: { openai: `${url}/v1`, anthropic: url },
    spending,
    now,
  };
  const address = await listening(meterProxy(options));
  return { address, folder, store, gaps, recorder, spending };
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const sent = request(url, { method: "POST", headers: { "Content-Type": "application/json", ...headers } }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const bytes = await buffer(response).catch((error: unknown) => error as Error);
  return { status: response.statusCode, headers: response.rawHeaders, bytes };
}

const chat = (system: string, user: string): string =>
  JSON.stringify(
    {
      model: "gpt-4o",
      messages: [
        { role: "system", content: system },
        { role: "user", content: user },
      ],
    },
    null,
    1,
  );

const withoutConnection = (raw: readonly string[]): readonly string[] =>
  raw.filter((_, i) => !["host", "connection", "keep-alive", "date"].includes((raw[i - (i % 2)] ?? "").toLowerCase()));

test.each([
  ["JSON", { parts: [JSON.stringify(reply("It is 4."), null, 2)] }],
  ["gzip", { headers: { "Content-Encoding": "gzip" }, parts: [gzipSync(JSON.stringify(reply("It is 4.")))] }],
  [
    "events in pieces",
    {
      headers: { "Content-Type": "text/event-stream" },
      parts: [
        `data: ${JSON.stringify({ model: "gpt-4o", choices: [{ delta: { content: "It is 4." } }] })}\r\n`,
        `\r\ndata: {"choices":[],"usage":{"prompt_tokens":1000,"completion`,
        `_tokens":100,"total_tokens":1100}}\n\ndata: [DONE]\n\n`,
      ],
    },
  ],
])("bytes and headers pass unchanged in both directions: %s", async (_, answer) => {
  const server = await upstream(() => answer);
  const { address, folder, gaps } = await meter(server.url);
  const headers = { Authorization: "Bearer sk-secret-key-1", "X-Stainless-Lang": "js", "accept-encoding": "gzip" };
  const body = chat("Solve.", "2 + 2, sk-secret-key-1?");
  const direct = await post(`${server.url}/v1/chat/completions?a=1`, body, headers);
  const metered = await post(`${address}/agents/solver/v1/chat/completions?a=1`, body, {
    ...headers,
    "x-laconic-task": "t",
  });
  expect(metered.bytes).toEqual(direct.bytes);
  expect(withoutConnection(metered.headers)).toEqual(withoutConnection(direct.headers));
  const [first, second] = server.seen.map((seen) => ({ ...seen, rawHeaders: withoutConnection(seen.rawHeaders) }));
  expect(second).toEqual(first);
  await expect.poll(async () => (await readCalls(folder)).calls).toHaveLength(1);
  const { calls } = await readCalls(folder);
  expect(calls).toMatchObject([
    { agent: "solver", agentSource: "path", task: "t", model: "gpt-4o", status: 200, isCut: false, replyLength: 8 },
  ]);
  const { total } = ledgerOf(calls);
  expect(total).toMatchObject({ calls: 1, failed: 0, promptTokens: 1000, completionTokens: 100, unpriced: 0 });
  expect(total.usd).toBeCloseTo(1000 * 2.5e-6 + 100 * 10e-6, 12);
  expect(gaps).toEqual([]);
});

test("keys are not stored, and without texts neither are prompts", async () => {
  const server = await upstream(() => ({ parts: [JSON.stringify(reply("your key is sk-secret-key-1"))] }));
  for (const texts of [true, false]) {
    const { address, folder, store } = await meter(server.url, { agents: {} }, texts);
    await post(`${address}/v1/chat/completions`, chat("Rules", "key sk-secret-key-1"), {
      authorization: "Bearer sk-secret-key-1",
    });
    await expect.poll(async () => (await readCalls(folder)).calls).toHaveLength(1);
    store.close();
    const files = await readdir(folder);
    const stored = (await Promise.all(files.map((file) => readFile(`${folder}/${file}`, "utf8")))).join("");
    expect(stored).not.toContain("sk-secret");
    expect(stored.includes("your key is [key]")).toBe(texts);
  }
});

test("failures pass and are counted: an error status, a cut reply, no upstream", async () => {
  const server = await upstream(({ body }) =>
    body.includes("cut")
      ? { parts: ['{"choices":'], cut: true }
      : { status: 500, parts: ['{"error":{"message":"no"}}'] },
  );
  const { address, folder } = await meter(server.url);
  const failed = await post(`${address}/v1/chat/completions`, chat("a", "fail"));
  expect([failed.status, String(failed.bytes)]).toEqual([500, '{"error":{"message":"no"}}']);
  expect((await post(`${address}/v1/chat/completions`, chat("a", "cut"))).bytes).toBeInstanceOf(Error);
  await expect.poll(async () => (await readCalls(folder)).calls.length).toBe(2);
  const { calls } = await readCalls(folder);
  expect(calls.map(({ status, isCut, usage }) => ({ status, isCut, usage }))).toEqual([
    { status: 500, isCut: false, usage: null },
    { status: 200, isCut: true, usage: null },
  ]);
  const alone = await meter("http://127.0.0.1:9");
  const refused = await post(`${alone.address}/v1/chat/completions`, chat("a", "b"));
  expect([refused.status, String(refused.bytes)]).toEqual([502, expect.stringContaining("connection refused")]);
  expect(refused.headers.join().toLowerCase()).toContain("x-should-retry,true");
});

test("web pages and foreign host names are refused before any call", async () => {
  const server = await upstream(() => ({ parts: [JSON.stringify(reply("ok"))] }));
  const { address } = await meter(server.url);
  const call = (headers: Record<string, string>) => post(`${address}/v1/chat/completions`, chat("a", "b"), headers);
  for (const headers of [{ origin: "https://evil.example" }, { host: "evil.example" }])
    expect((await call(headers)).status).toBe(403);
  expect((await call({ origin: "http://localhost:3000" })).status).toBe(200);
  expect(server.seen).toHaveLength(1);
});

test("limits refuse later calls with a status that clients do not retry", async () => {
  const server = await upstream(() => ({ parts: [JSON.stringify(reply("ok"))] }));
  const { address, folder } = await meter(server.url, { agents: { critic: 0.003 } });
  const call = (agent: string) => post(`${address}/v1/chat/completions`, chat("a", "b"), { "x-laconic-agent": agent });
  expect((await call("critic")).status).toBe(200);
  const refused = await call("critic");
  expect([refused.status, String(refused.bytes)]).toEqual([
    429,
    expect.stringContaining("agent critic on 2026-11-29 has spent $0.0035 of $0.003"),
  ]);
  expect(refused.headers.join().toLowerCase()).toContain("x-should-retry,false");
  expect((await call("writer")).status).toBe(200);
  expect(server.seen).toHaveLength(2);
  const { calls, lost } = await readCalls(folder);
  expect([calls.map(({ status }) => status), lost]).toEqual([[200, 429, 200], 0]);
});

test("running calls count for limits", async () => {
  const server = await upstream(() => ({ parts: [JSON.stringify(reply("ok"))] }));
  const { address, spending } = await meter(server.url, { agents: {}, day: 0.008 });
  const call = async (): Promise<number | undefined> =>
    (await post(`${address}/v1/chat/completions`, chat("a", "b"), { "x-laconic-agent": "critic" })).status;
  await call();
  const statuses = await Promise.all(Array.from({ length: 8 }, call));
  // One call costs $0.0035: with two running ones, the day is full.
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  expect(spending.reserve({ agent: "critic", task: "t", time: "2026-11-29" })).toMatch(/spent \$0.0105 of \$0.008$/u);
  expect(spending.reserve({ agent: "critic", task: "t", time: "2026-11-30" })).toBeTypeOf("function");
});

test("other paths pass without a record, and a full disk does not stop calls", async () => {
  const server = await upstream(({ url }) => ({
    parts: [url?.endsWith("models") ? '{"data":[]}' : JSON.stringify(reply("ok"))],
  }));
  const { address, folder, gaps } = await meter(server.url);
  const models = request(`${address}/v1/models`).end();
  const [response] = (await once(models, "response")) as [IncomingMessage];
  expect(String(await buffer(response))).toBe('{"data":[]}');
  await rm(folder, { recursive: true });
  expect((await post(`${address}/v1/chat/completions`, chat("a", "b"))).status).toBe(200);
  await expect.poll(() => gaps.join()).toContain("ENOENT");
  await mkdir(folder);
  expect((await post(`${address}/v1/chat/completions`, chat("a", "b"))).status).toBe(200);
  await expect.poll(async () => (await readCalls(folder)).calls.length).toBeGreaterThan(0);
});

test("a wrapped fetch records the same, and the edge has the tokens of the quoted reply", async () => {
  const plan = "First add the two numbers, then write the sum as a single number.";
  const server = await upstream(({ body }) => ({
    parts: [JSON.stringify(reply(body.includes("Plan the work") ? plan : "4"))],
  }));
  const { folder, recorder } = await meter(server.url);
  const say = async (agent: string, user: string): Promise<string> => {
    const send = meteredFetch(recorder, { agent });
    const response = await send(`${server.url}/v1/chat/completions`, { method: "POST", body: chat("Rules", user) });
    return ((await response.json()) as { choices: [{ message: { content: string } }] }).choices[0].message.content;
  };
  const written = await say("planner", "Plan the work of this sum: 2 + 2");
  await say("writer", `Follow this plan.\n${written}`);
  await expect.poll(async () => (await readCalls(folder)).calls).toHaveLength(2);
  const { calls } = await readCalls(folder);
  const ledger = ledgerOf(calls, {}, { planner: "boss" });
  const share = plan.length / ("Rules".length + "Follow this plan.\n".length + plan.length);
  expect(ledger.edges).toMatchObject([{ from: "boss", to: "writer", calls: 1, tokens: Math.round(1000 * share) }]);
  expect(ledger.edges[0]?.usd).toBeCloseTo(1000 * share * 2.5e-6, 9);
  expect(ledger.tasks).toHaveLength(1);
  expect(ledger.total.unread).toBe(0);
  expect(server.seen.flatMap(({ rawHeaders }) => rawHeaders).join()).not.toContain("laconic");
});
