import { once } from "node:events";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { FleetModel, Fleet, sglangServer, vllmServer, WeightsReceiver, WeightsSender } from "@laconic/fleet";
import { conformanceConfig } from "@laconic/engine/testing";
import { samplerCases, type SampledModel } from "@laconic/fleet/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { onFakes, quick, requests, step, type OnFakes, type OnFakesOptions } from "./on-fakes.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** What a network, or a kill, does to a request. */
type Harm = "cut" | "damage" | "hold" | "kill" | null;

interface Received {
  readonly url: string;
  readonly folder: string;
  harm: (path: string) => Harm;
  readonly asked: { readonly method: string; readonly path: string; readonly coding: string }[];
}

const isChunk = (path: string): boolean => /\/\d+$/u.test(path);
/** Chunks that were put. */
const chunksOf = ({ asked }: Received): string[] => asked.flatMap(({ path }) => (isChunk(path) ? path : []));

/** A receiver on a disk of its own. */
async function startReceiver(): Promise<Received> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-receiver-"));
  let server: Server;
  const listen = async (port: number): Promise<void> => {
    const { listener } = new WeightsReceiver({ folder });
    server = createServer((request, response) => {
      const { method = "", url: path = "", headers } = request;
      received.asked.push({ method, path, coding: headers["x-laconic-coding"]?.toString() ?? "" });
      const harm = received.harm(path);
      if (harm === "cut") request.destroy();
      else if (harm === "kill") void kill().then(() => listen(port));
      else if (harm === "damage") void damaged(request).then((other) => listener(other, response));
      else if (harm === null) void listener(request, response);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const kill = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server!.address() as AddressInfo;
  await kill();
  await listen(port);
  const received: Received = { url: `http://127.0.0.1:${port}`, folder, harm: () => null, asked: [] };
  closing.push(async () => {
    await kill();
    await rm(folder, { recursive: true });
  });
  return received;
}

/** The same request with another first byte. */
async function damaged(request: IncomingMessage): Promise<IncomingMessage> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  body[0] = (body[0] as number) ^ 6;
  const { url, method, headers } = request;
  return Object.assign(Readable.from([body]), { url, method, headers }) as unknown as IncomingMessage;
}

interface OverHttp extends OnFakes {
  readonly receivers: readonly [Received, Received];
  readonly sender: WeightsSender;
  readonly sent: FleetModel;
}

/** Two servers, each with a receiver on its own disk, and no folder that they share with the trainer. */
async function overHttp(options: OnFakesOptions = {}): Promise<OverHttp> {
  const made = await onFakes(options);
  const own = await mkdtemp(join(tmpdir(), "laconic-sender-"));
  closing.push(made.close, () => rm(own, { recursive: true }));
  const receivers = [await startReceiver(), await startReceiver()] as const;
  const sender = new WeightsSender({ folder: join(own, "bases"), chunkBytes: 1024, clock: quick });
  const connect = options.kind === "sglang" ? sglangServer : vllmServer;
  const fleet = new Fleet({
    servers: made.fakes.map(({ url }, i) => sender.throughReceiver(connect({ url }), { url: receivers[i]?.url ?? "" })),
    vocabularySize: 13,
    clock: quick,
    onNote: (text) => made.notes.push(text),
    onReply: (reply) => made.replies.push(reply),
    ...options.fleet,
  });
  const sent = new FleetModel(made.local, fleet, {
    name: "run.actor",
    folder: join(own, "weights"),
    // Nobody but the trainer sees its folder.
    folderAtServers: "/nowhere",
  });
  return { ...made, receivers, sender, sent, fleet };
}

const whole = { kind: "config", config: conformanceConfig, seed: 2 } as const;
describe.each([
  ["adapters on vLLM", Infinity, { kind: "vllm" }],
  ["adapters on SGLang", Infinity, { kind: "sglang" }],
  ["all weights on SGLang", 1, { kind: "sglang", source: whole }],
] as const)("%s over HTTP", (_, versions, options) => {
  const create = async (): Promise<SampledModel> => {
    const { sent } = await overHttp(options);
    return { model: sent, versions, close: async () => undefined };
  };
  for (const item of samplerCases) test(item.name, () => item.run(create));
});

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  test("a version comes as what differs from the one before, and the receivers keep no others", async () => {
    const { sent, sender, receivers, fleet } = await overHttp({ kind });
    await sent.sample(requests(12));
    await step(sent);
    await sent.sample(requests(12));
    await step(sent);
    const replies = await sent.sample(requests(12));
    expect(replies).toHaveLength(12);
    for (const { asked } of receivers) expect(asked.map(({ coding }) => coding)).toContain("delta");
    // The first has nothing to differ from.
    expect(sender.sent[0]?.sentBytes).toBeLessThanOrEqual(sender.sent[0]?.bytes ?? 0);
    await sent.dispose();
    await fleet.clear("run.");
    await sender.close();
    for (const { folder } of receivers) expect(await readdir(folder)).toEqual([]);
  });

  test("a receiver that is killed in the middle of an upload is continued, chunk for chunk", async () => {
    const { sent, receivers, fleet } = await overHttp({ kind });
    const [one] = receivers;
    let chunks = 0;
    one.harm = (path) => (isChunk(path) && ++chunks === 6 ? "kill" : null);
    expect(await sent.sample(requests(12))).toHaveLength(12);
    expect(fleet.servers.map(({ state }) => state)).toEqual(["up", "up"]);
    const put = chunksOf(one);
    // Chunks that were whole are not sent twice; those under way at the kill are.
    expect(new Set(put).size).toBeGreaterThan(8);
    expect(put.length).toBeGreaterThan(new Set(put).size);
    expect(put.length - new Set(put).size).toBeLessThanOrEqual(4);
    expect(await readdir(one.folder)).toHaveLength(1);
  });

  test("a chunk that comes cut or damaged is refused by its number and sent again", async () => {
    const { sent, receivers, replies } = await overHttp({ kind });
    const harms: (readonly [Received, "cut" | "damage"])[] = [
      [receivers[0], "damage"],
      [receivers[1], "cut"],
    ];
    const harmed = harms.map(([received, harm]) => {
      const paths: string[] = [];
      received.harm = (path) => (isChunk(path) && paths.length < 2 && paths.push(path) > 0 ? harm : null);
      return paths;
    });
    expect(await sent.sample(requests(12))).toHaveLength(12);
    harms.forEach(([received], i) => {
      expect(harmed[i]).toHaveLength(2);
      for (const path of harmed[i] ?? []) expect(chunksOf(received).filter((each) => each === path)).toHaveLength(2);
    });
    expect(replies.every(({ gap }) => (gap ?? 1) < 1e-3)).toBe(true);
  });

  test("a receiver that damages every chunk is left out by name, and the other server answers", async () => {
    const { sent, receivers, fleet } = await overHttp({ kind });
    receivers[0].harm = (path) => (isChunk(path) ? "damage" : null);
    // The other server answers while the first has none; a request meets what came of it later.
    await vi.waitUntil(async () => {
      expect(await sent.sample(requests(12))).toHaveLength(12);
      return fleet.servers[0]?.state !== "up";
    }, 15_000);
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
    expect(fleet.servers[0]?.reason).toMatch(/chunk \S+ is not that of the manifest: it was damaged or cut/u);
    expect(fleet.servers[1]).toMatchObject({ state: "up", failures: 0 });
    expect((await readdir(receivers[0].folder)).every((name) => name.endsWith(".part"))).toBe(true);
  });

  test("servers go on with the old weights while the new ones are on their way, and each reply says which wrote it", async () => {
    const { sent, receivers, replies, fleet } = await overHttp({ kind });
    const old = await sent.snapshot();
    await old.sample(requests(4));
    await step(sent);
    // The second takes for ever: requests of the new version go to the first, those of the old to both.
    let held = 0;
    receivers[1].harm = (path) => (isChunk(path) && ++held > 0 ? "hold" : null);
    replies.length = 0;
    expect(await sent.sample(requests(24))).toHaveLength(24);
    expect(await old.sample(requests(24))).toHaveLength(24);
    expect(held).toBeGreaterThan(0);
    const by = (version: number): Set<string> =>
      new Set(replies.filter((each) => each.version === version).map(({ server }) => server));
    const [one, two] = fleet.servers.map(({ url }) => url);
    expect([by(1), by(0)]).toEqual([new Set([one]), new Set([one, two])]);
    fleet.close();
  });
});

test("a receiver takes nothing without its key, nor what leads out of its folder, nor a version under another's name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "laconic-receiver-"));
  const { listener } = new WeightsReceiver({ folder, apiKey: "secret-key", maxBytes: 1 << 20 });
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(
    () => new Promise((resolve) => void server.close(resolve)),
    () => rm(folder, { recursive: true }),
  );
  const ask = async (method: string, path: string, body?: string, key = "secret-key"): Promise<number> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/weights${path}`;
    const headers = { authorization: `Bearer ${key}`, connection: "close" };
    return (await fetch(url, { method, headers, ...(body !== undefined && { body }) })).status;
  };
  const sha256 = createHash("sha256").update("tensors").digest("hex");
  const manifest = (bytes: number, hash = sha256, name = "model.safetensors"): string => {
    const chunks = Array.from({ length: Math.ceil(bytes / 1024) }, () => hash);
    return JSON.stringify({ chunkBytes: 1024, base: null, files: [{ name, bytes, sha256: hash, chunks }] });
  };
  expect(await ask("PUT", "/v1", manifest(7), "another")).toBe(401);
  expect(await ask("PUT", "/..%2Fout", manifest(7))).toBe(400);
  expect(await ask("PUT", "/v1", manifest(7, sha256, "../out"))).toBe(400);
  expect(await ask("PUT", "/v1", "[[[")).toBe(400);
  expect(await ask("PUT", "/v1", manifest(2 << 20))).toBe(413);
  expect(await ask("PUT", "/v1/model.safetensors/0", "tensors")).toBe(409);
  expect(await ask("PUT", "/v1", manifest(7))).toBe(200);
  expect(await ask("POST", "/v1")).toBe(409);
  expect(await ask("PUT", "/v1/model.safetensors/1", "tensors")).toBe(404);
  expect(await ask("PUT", "/v1/model.safetensors/0", "tensorz")).toBe(422);
  expect(await ask("PUT", "/v1/model.safetensors/0", "tensors and more")).toBe(413);
  expect(await ask("PUT", "/v1/model.safetensors/0", "tensors")).toBe(204);
  expect(await ask("POST", "/v1")).toBe(200);
  expect(await readdir(folder)).toEqual(["v1"]);
  expect(await ask("PUT", "/v1", manifest(8))).toBe(409);
  expect(await ask("PUT", "/v1", manifest(7))).toBe(200);
  expect(await ask("DELETE", "/v1")).toBe(204);
  expect(await readdir(folder)).toEqual([]);
});
