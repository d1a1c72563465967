import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FleetModel, Fleet, sglangServer, vllmServer, WeightsReceiver, WeightsSender } from "@laconic/openai/fleet";
import { conformanceConfig } from "@laconic/engine/testing";
import { samplerCases, type SampledModel } from "@laconic/openai/testing";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { onFakes, quick, requests, step, type OnFakes, type OnFakesOptions } from "./on-fakes.ts";

type Harm = "cut" | "damage" | "hold" | "kill" | null;

interface Received {
  readonly folder: string;
  readonly fetch: typeof fetch;
  harm: (path: string) => Harm;
  readonly asked: { readonly method: string; readonly path: string; readonly coding: string }[];
}

const isChunk = (path: string): boolean => /\/\d+$/u.test(path);
const chunksOf = ({ asked }: Received): string[] => asked.flatMap(({ path }) => (isChunk(path) ? path : []));
const reset = (): TypeError => new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });

async function startReceiver(): Promise<Received> {
  const folder = await temporaryFolder();
  let { handler } = new WeightsReceiver({ folder });
  const received: Received = {
    folder,
    harm: () => null,
    asked: [],
    async fetch(url, init = {}) {
      const { method = "GET", headers, body } = init;
      const path = new URL(url).pathname;
      received.asked.push({ method, path, coding: new Headers(headers).get("x-laconic-coding") ?? "" });
      const harm = received.harm(path);
      if (harm === "hold") return never(init.signal);
      if (harm === "kill") ({ handler } = new WeightsReceiver({ folder }));
      if (harm === "kill" || harm === "cut") throw reset();
      const asked = handler;
      const sent = harm === "damage" ? { ...init, body: damaged(body as Uint8Array<ArrayBuffer>) } : init;
      const reply = await asked(new Request(url, sent));
      if (asked !== handler) throw reset(); // it was killed meanwhile
      return reply;
    },
  };
  return received;
}

/** A response that never arrives; rejects when aborted. */
const never = (signal?: AbortSignal | null): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));

function damaged(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return body.map((byte, i) => (i === 0 ? byte ^ 6 : byte));
}

interface OverHttp extends OnFakes {
  readonly receivers: readonly [Received, Received];
  readonly sender: WeightsSender;
  readonly sent: FleetModel;
}

async function overHttp(options: OnFakesOptions = {}): Promise<OverHttp> {
  const made = await onFakes(options);
  const own = await temporaryFolder();
  const receivers = [await startReceiver(), await startReceiver()] as const;
  const sender = new WeightsSender({ folder: join(own, "bases"), chunkBytes: 1024, clock: quick });
  const connect = options.kind === "sglang" ? sglangServer : vllmServer;
  const fleet = new Fleet({
    servers: made.fakes.map(({ url }, i) =>
      sender.throughReceiver(connect({ url }), {
        url: `http://receiver-${i}:8790`,
        fetch: (receivers[i] as Received).fetch,
      }),
    ),
    vocabularySize: 13,
    clock: quick,
    onNote: (text) => made.notes.push(text),
    onReply: (reply) => made.replies.push(reply),
    ...options.fleet,
  });
  const sent = new FleetModel(made.local, fleet, {
    name: "run.actor",
    folder: join(own, "weights"),
    // Servers cannot see the trainer's folder.
    folderAtServers: "/nowhere",
  });
  return { ...made, receivers, sender, sent, fleet };
}

const whole = { kind: "config", config: conformanceConfig, seed: 2 } as const;
describe.each([
  ["adapters on vLLM", Infinity, { kind: "vllm" }],
  ["adapters on SGLang", Infinity, { kind: "sglang" }],
  ["all weights on vLLM", 1, { kind: "vllm", source: whole }],
  ["all weights on SGLang", 1, { kind: "sglang", source: whole }],
] as const)("%s over HTTP", (_, versions, options) => {
  const create = async (): Promise<SampledModel> => {
    const { sent } = await overHttp(options);
    return { model: sent, versions, close: async () => undefined };
  };
  for (const item of samplerCases) test(item.name, () => item.run(create));
});

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  test("transfers a version as a difference, and receivers keep no others", async () => {
    const { sent, sender, receivers, fleet } = await overHttp({ kind });
    await sent.sample(requests(12));
    await step(sent);
    await sent.sample(requests(12));
    await step(sent);
    const replies = await sent.sample(requests(12));
    expect(replies).toHaveLength(12);
    for (const { asked } of receivers) expect(asked.map(({ coding }) => coding)).toContain("delta");
    // The first version has no base for differences.
    expect(sender.sent[0]?.sentBytes).toBeLessThanOrEqual(sender.sent[0]?.bytes ?? 0);
    await sent.dispose();
    await fleet.clear("run.");
    await sender.close();
    for (const { folder } of receivers) expect(await readdir(folder)).toEqual([]);
  });

  test("continues an upload by chunk after a killed receiver", async () => {
    const { sent, receivers, fleet } = await overHttp({ kind });
    const [one] = receivers;
    let chunks = 0;
    one.harm = (path) => (isChunk(path) && ++chunks === 6 ? "kill" : null);
    expect(await sent.sample(requests(12))).toHaveLength(12);
    expect(fleet.servers.map(({ state }) => state)).toEqual(["up", "up"]);
    const put = chunksOf(one);
    // Complete chunks are sent once; only chunks in flight at the kill are sent again.
    expect(new Set(put).size).toBeGreaterThan(8);
    expect(put.length).toBeGreaterThan(new Set(put).size);
    expect(put.length - new Set(put).size).toBeLessThanOrEqual(4);
    expect(await readdir(one.folder)).toHaveLength(1);
  });

  test("rejects a cut or damaged chunk by number and resends it", async () => {
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
      for (const path of harmed[i] ?? []) expect(chunksOf(received).filter((text) => text === path)).toHaveLength(2);
    });
    expect(replies.every(({ gap }) => (gap ?? 1) < 1e-3)).toBe(true);
  });

  test("sends whole chunks if the receiver's stored version is damaged", async () => {
    const { sent, receivers, fleet } = await overHttp({ kind });
    await sent.sample(requests(12));
    const [one] = receivers;
    const [first] = await readdir(one.folder);
    const folder = join(one.folder, first as string);
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name));
      await writeFile(join(folder, name), bytes.fill(0x55, bytes.length >> 1));
    }
    await step(sent);
    one.asked.length = 0;
    expect(await sent.sample(requests(12))).toHaveLength(12);
    expect(fleet.servers.map(({ state }) => state)).toEqual(["up", "up"]);
    const codings = one.asked.map(({ coding }) => coding);
    expect(codings).toEqual(expect.arrayContaining(["delta", "planes"]));
  });

  test("excludes a receiver that damages every chunk, and the other server answers", async () => {
    const { sent, receivers, fleet } = await overHttp({ kind });
    receivers[0].harm = (path) => (isChunk(path) ? "damage" : null);
    // The other server answers while the first lacks the weights; a later request finds it down.
    await vi.waitUntil(async () => {
      expect(await sent.sample(requests(12))).toHaveLength(12);
      return fleet.servers[0]?.state !== "up";
    }, 15_000);
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
    expect(fleet.servers[0]?.reason).toMatch(/chunk \S+ does not match the manifest: damaged or truncated/u);
    expect(fleet.servers[1]).toMatchObject({ state: "up", failures: 0 });
    expect((await readdir(receivers[0].folder)).every((name) => name.endsWith(".part"))).toBe(true);
  });

  test("servers use old weights during a transfer, and each reply names its version", async () => {
    const { sent, receivers, replies, fleet } = await overHttp({ kind });
    const old = await sent.snapshot();
    await old.sample(requests(4));
    await step(sent);
    // The second upload never ends: new requests use the first server, old ones both.
    let held = 0;
    receivers[1].harm = (path) => (isChunk(path) && ++held > 0 ? "hold" : null);
    replies.length = 0;
    expect(await sent.sample(requests(24))).toHaveLength(24);
    expect(await old.sample(requests(24))).toHaveLength(24);
    expect(held).toBeGreaterThan(0);
    const by = (version: number): Set<string> =>
      new Set(replies.filter((reply) => reply.version === version).map(({ server }) => server));
    const [one, two] = fleet.servers.map(({ url }) => url);
    expect([by(1), by(0)]).toEqual([new Set([one]), new Set([one, two])]);
    fleet.close();
  });
});

test("a receiver rejects missing keys, paths outside its folder and wrong version names", async () => {
  const folder = await temporaryFolder();
  const { handler } = new WeightsReceiver({ folder, apiKey: "secret-key", maxBytes: 1 << 20 });
  const ask = async (method: string, path: string, body?: string, key = "secret-key"): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const init = { method, headers, ...(body !== undefined && { body }) };
    return (await handler(new Request(`http://localhost/weights${path}`, init))).status;
  };
  const named = (): Request =>
    new Request("http://localhost/weights", { headers: { authorization: "Bearer secret-key" } });
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
  // Partial uploads are listed too, so that cleanup can remove them.
  expect(await (await handler(named())).json()).toEqual({ names: ["v1"] });
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
