import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { randomFromSeed } from "../packages/core/src/index.ts";
import { vllmServer } from "../packages/openai/src/fleet/index.ts";
import { openSnapshot } from "../packages/hub/src/index.ts";
import { openAiModel } from "../packages/openai/src/index.ts";
import { TinkerClient } from "../packages/tinker/src/index.ts";

const apiKey = "hf_canary0123456789";
const soon = (): AbortSignal => AbortSignal.timeout(400);

const clients: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  openai: (url) =>
    openAiModel({ model: "m", baseUrl: url, apiKey, attempts: 1, deadlineMs: 2000 }).complete({
      prompt: { kind: "text", text: "2 + 2" },
      sampling: { temperature: 0, maxTokens: 4 },
      random: randomFromSeed(0).state(),
    }),
  fleet: (url) => vllmServer({ url, apiKey }).facts(soon()),
  tinker: (url) => TinkerClient.connect({ baseUrl: url, apiKey, attempts: 1, exchangeMs: 400 }),
  hub: async (url) =>
    openSnapshot({
      repo: "a/b",
      cacheFolder: await mkdtemp(join(tmpdir(), "hub-")),
      endpoint: url,
      token: apiKey,
      wait: async () => undefined,
    }),
};

const faults: Readonly<Record<string, RequestListener | null>> = {
  "no server": null,
  "a reset": (request) => void request.socket.destroy(),
  "a body that is cut": (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "99" });
    response.write('{"a": ', () => response.destroy());
  },
  "a page in place of JSON": (_, response) => void response.end(`<html>${apiKey}</html>`),
  "status 403": (_, response) => void response.writeHead(403).end(`no access by ${apiKey}`),
  "status 503": (_, response) => void response.writeHead(503).end(`no room for ${apiKey}`),
  silence: () => undefined,
};

async function serve(listener: RequestListener | null): Promise<string> {
  const server = createServer(listener ?? (() => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  if (listener === null) await close();
  else onTestFinished(close);
  return host;
}

// The hub's client waits as long as its caller does.
const pairs = Object.keys(clients).flatMap((client) =>
  Object.keys(faults).flatMap((fault) => (client === "hub" && fault === "silence" ? [] : [[client, fault] as const])),
);

test.each(pairs)("%s names the host and shows no key: %s", async (client, fault) => {
  const host = await serve(faults[fault] ?? null);
  const error = (await clients[client]?.(`http://${host}`).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(error.message).toContain(host);
  expect(error.message).not.toMatch(/canary/u);
});
