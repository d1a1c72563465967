import { request } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import type { LanguageModel, Tokenizer } from "@laconic/core";
import { closeServer } from "@laconic/serve";
import { expect, onTestFinished, test } from "vitest";
import { startServer, modelOfFile, tokenizer } from "./tiny-server.ts";

const tiny = await modelOfFile();

async function serve(change: Partial<Parameters<typeof startServer>[0]> = {}): ReturnType<typeof startServer> {
  const started = await startServer({ policy: tiny.policy, ...change });
  onTestFinished(() => closeServer(started.server, 0));
  return started;
}

/** `fetch` sets hosts and origins itself. */
async function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<readonly [number, string]> {
  const { hostname, port } = new URL(url);
  const path = body === undefined ? "/v1/models" : "/v1/completions";
  const sent = request({ hostname, port, path, method: body === undefined ? "GET" : "POST", headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer> & { readonly statusCode: number }];
  let text = "";
  for await (const chunk of response) text += chunk.toString();
  return [response.statusCode, text];
}

test.each([
  [{ host: "localhost:8000" }, 200],
  [{ host: "LOCALHOST" }, 200],
  [{ host: "laconic.localhost:1" }, 200],
  [{ host: "[::1]:8000" }, 200],
  [{ host: "192.168.0.7:8000" }, 200],
  [{ host: "model.example:8000" }, 200],
  [{ host: "localhost", origin: "http://localhost:3000" }, 200],
  [{ host: "model.example", origin: "https://model.example" }, 200],
  [{ host: "192.168.0.7", origin: "http://192.168.0.7" }, 200],
  [{ host: "evil.example" }, 403],
  [{ host: "localhost.evil.example" }, 403],
  [{ host: "model.example.evil.example" }, 403],
  [{ host: "127.0.0.1.evil.example" }, 403],
  [{ host: "localhost@evil.example" }, 403],
  [{ host: "localhost/" }, 403],
  [{ host: "localhost", origin: "https://evil.example" }, 403],
  [{ host: "localhost", origin: "null" }, 403],
  [{ host: "localhost", origin: "http://10.0.0.1" }, 403],
  [{ host: "localhost", origin: "file://" }, 403],
])("a request with %j gets %i", async (headers, status) => {
  const { url, errors } = await serve({ hosts: ["Model.example"], apiKey: "secret" });
  const [got, text] = await statusOf(url, { authorization: "Bearer secret", ...headers });
  expect([got, errors]).toEqual([status, []]);
  expect(text.includes(`"type":"permission_error"`)).toBe(status === 403);
});

const visit = { host: "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

/** What a server without a key takes where it is bound to `hosts`; `:PORT` is its own. */
const keyless: readonly (readonly [readonly string[] | undefined, Readonly<Record<string, string>>, 200 | 403])[] = [
  ...[undefined, ["127.0.0.1"], ["localhost"], ["::1"]].flatMap((hosts) => [
    ...["127.0.0.1:8000", "LOCALHOST", "a.localhost:1", "[::1]:8000", "[::1]"].map(
      (host) => [hosts, { host }, 200] as const,
    ),
    ...["192.168.0.7:8000", "[fe80::1]:8000", "0.0.0.0:8000", "evil.example", "localhost@evil.example"].map(
      (host) => [hosts, { host }, 403] as const,
    ),
    ...["127.0.0.1.evil.example", "localhost.evil.example:8000", "7f000001.rbndr.example", "localhost:x", "::1"].map(
      (host) => [hosts, { host }, 403] as const,
    ),
    [hosts, { host: "localhost:8000", origin: "http://localhost:8000" }, 200] as const,
    [hosts, { host: "[::1]:8000", origin: "http://[::1]:8000" }, 200] as const,
    ...[
      "http://localhost:3000",
      "http://localhost",
      "http://127.0.0.1:8000",
      "null",
      "http://evil.example",
      "file://",
    ].map((origin) => [hosts, { host: "localhost:8000", origin }, 403] as const),
    [hosts, { host: "localhost", "sec-fetch-site": "cross-site" }, 403] as const,
    [hosts, { host: "localhost", "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, 403] as const,
    [hosts, { host: "localhost", "sec-fetch-site": "same-origin" }, 200] as const,
    [hosts, { ...visit, "sec-fetch-dest": "iframe" }, 403] as const,
    [hosts, { ...visit, "sec-fetch-dest": "document" }, 200] as const,
  ]),
  [["127.0.0.1", "Model.example"], { host: "model.example" }, 200],
  [["127.0.0.1", "Model.example"], { host: "model.example:1", origin: "https://model.example:1" }, 200],
  [["127.0.0.1", "Model.example"], { host: "model.example.evil.example" }, 403],
];

test("answers only local pages and programs without a key", async () => {
  const matches: unknown[] = [];
  for (const [hosts, headers] of keyless) {
    const { url, server } = await startServer({ policy: tiny.policy, ...(hosts && { hosts }) });
    matches.push([hosts, headers, (await statusOf(url, headers))[0]]);
    await closeServer(server, 0);
  }
  expect(matches).toEqual(keyless);
});

test.each(["text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
  "rejects a body of type %j, which any page can send",
  async (type) => {
    const { url } = await serve();
    const [status, text] = await statusOf(
      url,
      type === "" ? {} : { "content-type": type },
      `{"model":"tiny","prompt":"a"}`,
    );
    expect(status).toBe(415);
    expect(text).toContain("application/json");
  },
);

test("rejects a prompt far above the context before full tokenization", async () => {
  let longest = 0;
  const counting: Tokenizer = {
    ...tokenizer,
    encode(text) {
      longest = Math.max(longest, text.length);
      return tokenizer.encode(text);
    },
  };
  const { url } = await serve({ tokenizer: counting, maxBodyBytes: 4 << 20 });
  const post = (body: object): Promise<Response> =>
    fetch(`${url}/v1/${"prompt" in body ? "" : "chat/"}completions`, {
      method: "POST",
      body: JSON.stringify({ model: "tiny", ...body }),
      headers: { "content-type": "application/json" },
    });
  for (const text of ["word ".repeat(600_000), "a".repeat(3_000_000), "\u{1f600}".repeat(500_000)])
    for (const body of [{ prompt: text }, { prompt: ["a", text] }, { messages: [{ role: "user", content: text }] }]) {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("longer than the context of 64 tokens");
    }
  expect(longest).toBeLessThanOrEqual(8 * 64);
  // One that is short enough to be counted whole, and too long all the same.
  const { error } = (await (await post({ prompt: "word ".repeat(40) })).json()) as { error: object };
  expect(error).toMatchObject({
    message: "the prompt has 200 tokens and leaves no room for a reply; the model's limit is 64",
    code: "context_length_exceeded",
  });
});

test("closing lets replies end and cuts unfinished requests and endless replies", async () => {
  let ended = 0;
  const hangs: LanguageModel = {
    id: "hangs",
    complete: ({ signal, onToken }) =>
      new Promise((_, reject) => {
        onToken?.({ token: 5, logProb: -1 });
        signal?.addEventListener("abort", () => {
          ended += 1;
          reject(new Error("aborted"));
        });
      }),
  };
  const { server, url, errors } = await serve({ policy: hangs });
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ model: "tiny", prompt: "a", stream: true });
  const head = "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  const open = async (reply: string): Promise<ReturnType<typeof connect>> => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(reply);
    return socket;
  };
  const sockets = [
    await open(`${head}content-length: ${body.length}\r\n\r\n${body}`),
    await open(`${head}content-length: 100\r\n\r\n{"mod`),
    await open(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"mod`),
    await open("GET /v1/mo"),
    await open(""),
  ];
  const [streamed] = sockets as [(typeof sockets)[0]];
  await once(streamed, "data");
  const closed = sockets.map((socket) => once(socket, "close"));
  await closeServer(server, 100);
  await Promise.all(closed);
  await expect.poll(() => ended).toBe(1);
  expect(errors).toEqual([]);
});

test("an invalid path is a client error", async () => {
  const { url, errors } = await serve();
  for (const path of ["//", "/%", "http://"]) {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path });
    sent.end();
    const [response] = (await once(sent, "response")) as [{ readonly statusCode: number; resume(): void }];
    response.resume();
    expect([path, response.statusCode >= 400 && response.statusCode < 500]).toEqual([path, true]);
  }
  expect(errors).toEqual([]);
});
