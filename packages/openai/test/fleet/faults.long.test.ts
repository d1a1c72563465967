import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SampleResult } from "@laconic/core";
import { conformanceConfig } from "@laconic/engine/testing";
import { vllmServer } from "@laconic/openai/fleet";
import { describe, expect, test, vi } from "vitest";
import { isReplyRequest, type FakeServer, type ServerFault } from "@laconic/openai/testing";
import { base, onFakes, quick, requests, step } from "./on-fakes.ts";

const isReply = (path: string): boolean => /completions|generate/u.test(path);
function first(count: number, fault: ServerFault): FakeServer["faults"] {
  let left = count;
  return (path, body) => (isReplyRequest(path, body) && left-- > 0 ? fault : null);
}

const texts = (replies: readonly SampleResult[]): string[] => replies.map(({ tokens }) => tokens.join());

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  const cases: readonly (readonly [name: string, fault: ServerFault, note: RegExp])[] = [
    ["dies in the middle of a reply", { kind: "dies" }, /its requests move to other servers/u],
    ["has an error of its own", { kind: "status", status: 500 }, /status 500/u],
    ["has no room", { kind: "status", status: 429, retryAfterSeconds: 0 }, /status 429/u],
    ["gives tokens outside the vocabulary", { kind: "wrong-tokens" }, /outside the vocabulary of 13/u],
    ["gives no log-probs", { kind: "not-finite" }, /the log-prob of token 0 of the reply is -9999/u],
    ["reads another prompt", { kind: "other-prompt" }, /read 4 prompt tokens, expected 3/u],
  ];
  test.each(cases)("a server that %s loses no reply and duplicates none", async (_, fault, note) => {
    const { model, local, one, two, notes, replies } = await onFakes({ kind });
    one.faults = first(2, fault);
    const messages = await model.sample(requests(24));
    // Replies depend on the request only and equal the engine's.
    const seeded = await onFakes({ kind });
    expect(texts(messages)).toEqual(texts(await seeded.model.sample(requests(24))));
    expect(notes.join("\n")).toMatch(note);
    expect(replies).toHaveLength(24);
    expect(replies.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(0);
    const served = one.replies + two.replies;
    expect(served).toBeGreaterThanOrEqual(24);
    expect(local.weightVersion).toBe(0);
  });

  test("readmits a killed server that returns without adapters", async () => {
    const { model, one, fleet, notes, replies } = await onFakes({ kind });
    await model.sample(requests(8));
    await one.kill();
    await model.sample(requests(16));
    expect(fleet.servers[0]).toMatchObject({ state: "paused" });
    await one.restart();
    expect(one.names).toEqual([]);
    let state = "";
    for (let i = 0; i < 50 && state !== "up"; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await model.sample(requests(2));
      state = fleet.servers[0]?.state ?? "";
    }
    const before = one.replies;
    await model.sample(requests(16));
    expect(one.replies).toBeGreaterThan(before);
    expect(one.names).toHaveLength(1);
    expect(notes.join("\n")).toMatch(/: recovered/u);
    expect(new Set(replies.map(({ weights }) => weights)).size).toBe(1);
  });

  test("a restarted server reloads its adapter", async () => {
    const { model, fakes, notes } = await onFakes({ kind, servers: 1 });
    await model.sample(requests(2));
    await fakes[0]?.kill();
    await fakes[0]?.restart();
    expect(await model.sample(requests(4))).toHaveLength(4);
    expect(notes.join("\n")).toMatch(/was missing and is reloaded/u);
  });

  test("detects and excludes a server with an older version", async () => {
    const { model, one, two, fleet, replies } = await onFakes({ kind, fleet: {} });
    fleet.tolerance = 1e-3;
    const snapshot = await model.snapshot();
    await snapshot.sample(requests(4));
    await step(model);
    one.faults = (path) => (isReply(path) ? { kind: "stale" } : null);
    const [before, from] = [one.replies, replies.length];
    for (let asked = 0; asked < 4; asked++) expect(await model.sample(requests(12))).toHaveLength(12);
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
    expect(fleet.servers[0]?.reason).toMatch(
      /loaded run\.actor-v1-\w+-1, but its log-probs differ from the trainer's/u,
    );
    expect(new Set(replies.slice(from).map(({ server }) => server))).toEqual(new Set([two.url]));
    expect(one.replies - before).toBe(3); // checks, no replies
    await snapshot.dispose();
  });

  test("unloads old versions from servers and folder", async () => {
    const { model, one, two, folder } = await onFakes({ kind });
    const snapshot = await model.snapshot();
    await snapshot.sample(requests(12));
    for (let version = 1; version < 4; version++) {
      await step(model);
      await model.sample(requests(12));
    }
    const versions = (fake: FakeServer): string[] => fake.names.map((name) => /-v(\d+)-/u.exec(name)?.[1] ?? "");
    expect([versions(one), versions(two)]).toEqual([
      ["0", "3"],
      ["0", "3"],
    ]);
    await snapshot.dispose();
    expect([versions(one), versions(two)]).toEqual([["3"], ["3"]]);
    expect((await readdir(folder)).map((name) => name.slice(0, 12))).toEqual(["run.actor-v3"]);
  });

  test("removes adapters of a killed run by name", async () => {
    const { model, fleet, one } = await onFakes({ kind });
    await model.sample(requests(12));
    expect(one.names).toHaveLength(1);
    await fleet.clear("another.");
    expect(one.names).toHaveLength(1);
    await fleet.clear("run.");
    expect(one.names).toEqual([]);
  });

  test("requests wait for a working server and fail after the patience time", async () => {
    let ms = 0;
    const clock = {
      ...quick,
      nowMs: () => ms,
      sleep: async (wait: number) => {
        ms += wait;
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
    const { model, fakes } = await onFakes({ kind, fleet: { clock, patienceMs: 30_000 } });
    await model.sample(requests(2));
    for (const fake of fakes) await fake.kill();
    await expect(model.sample(requests(3))).rejects.toFailWith(
      "api_unavailable",
      /no server of the fleet worked for 30 s/u,
    );
    expect(ms).toBeGreaterThan(30_000);
  });
});

const whole = { kind: "config", config: conformanceConfig, seed: 2 } as const;

test.each([
  ["another model", "vllm", {}, /requested run\.actor-v0-\w+-0, got a reply from base/u],
  [
    "all weights of another version",
    "sglang",
    { source: whole },
    /requested run\.actor-v0-\w+-0, got a reply from default/u,
  ],
] as const)("detects a server that answers for %s", async (_, kind, options, reason) => {
  const { model, one, fleet, replies } = await onFakes({ kind, ...options });
  one.faults = (path) => (isReply(path) ? { kind: "other-name" } : null);
  expect(await model.sample(requests(12))).toHaveLength(12);
  expect(fleet.servers[0]).toMatchObject({ state: "quarantined", reason: expect.stringMatching(reason) });
  expect(new Set(replies.map(({ server }) => server)).size).toBe(1);
});

test("rejects full weights of two versions at once", async () => {
  const { model, one, two } = await onFakes({ kind: "sglang", source: whole });
  const snapshot = await model.snapshot();
  await step(model);
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  for (const fake of [one, two]) fake.faults = (path) => (isReply(path) ? { kind: "waits", until } : null);
  const old = snapshot.sample(requests(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(model.sample(requests(1))).rejects.toFailWith(
    "engine_failed",
    /a server holds one version of full weights/u,
  );
  release();
  expect(await old).toHaveLength(1);
});

test.each([
  ["all weights without the worker extension", { source: base, fake: { updates: false } }, /--worker-extension-cls/u],
  ["adapters that it was not started for", { fake: { updates: false } }, /VLLM_ALLOW_RUNTIME_LORA_UPDATING=True/u],
] as const)("vLLM rejects %s with a remedy", async (_, options, message) => {
  const { model } = await onFakes(options);
  await expect(model.sample(requests(1))).rejects.toThrow(message);
});

test.each([
  ["name", (header: string) => header.replace("q_proj", "x_proj"), /q_proj\S* is missing/u],
  ["dtype", (header: string) => header.replace(`"F64"`, `"I64"`), /I64/u],
] as const)("vLLM refuses all weights with a tensor of another %s", async (_, edit, message) => {
  const { model, one } = await onFakes({ source: whole });
  const weights = await model.published();
  const file = join(weights.path, "model.safetensors");
  const bytes = await readFile(file, "latin1");
  expect(edit(bytes)).not.toBe(bytes);
  await writeFile(file, edit(bytes), "latin1");
  const server = vllmServer({ url: one.url });
  await expect(server.load(weights)).rejects.toFailWith("api_refused", message);
  // A part of the weights may be new, so the server stays paused.
  await expect(server.promptLogProbs(weights, [1, 2])).rejects.toThrow("paused");
});

test("abandons a slow server and ignores its late reply", async () => {
  const waits: AbortController[] = [];
  const timeout = (): AbortSignal => {
    const controller = new AbortController();
    waits.push(controller);
    return controller.signal;
  };
  const { model, one, replies } = await onFakes({ fleet: { clock: { ...quick, timeout } } });
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  await model.sample(requests(2));
  replies.length = 0;
  one.faults = first(1, { kind: "waits", until });
  const sampled = model.sample(requests(12));
  await vi.waitUntil(() => replies.length === 11);
  for (const wait of waits) wait.abort(new DOMException("late", "TimeoutError"));
  const messages = await sampled;
  release();
  await vi.waitUntil(() => one.inFlight === 0);
  expect(messages).toHaveLength(12);
  expect(replies).toHaveLength(12);
  expect(replies.filter(({ attempts }) => attempts === 2)).toHaveLength(1);
});

test("prefers an idle server to a slow one", async () => {
  const { model, fleet, one, two } = await onFakes({ fleet: { slack: 2 } });
  await model.sample(requests(2));
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  one.faults = (path) => (isReply(path) ? { kind: "waits", until } : null);
  const before = two.replies;
  // Sent one by one; requests for the slow server queue up to the slack.
  const waiting: Promise<unknown>[] = [];
  for (const request of requests(24)) {
    const slow = fleet.servers[0]?.inFlight ?? 0;
    const reply = model.sample([request]);
    waiting.push(reply);
    await Promise.race([reply, vi.waitUntil(() => (fleet.servers[0]?.inFlight ?? 0) > slow)]);
  }
  expect(fleet.servers[0]?.inFlight).toBe(3);
  expect(two.replies - before).toBe(21);
  release();
  await Promise.all(waiting);
});

test("sends the key, never in errors or over plain http to another machine", async () => {
  expect(() => vllmServer({ url: "http://10.0.0.1:8000", apiKey: "secret-key" })).toThrow(/would not be encrypted/u);
  expect(() => vllmServer({ url: "http://user:secret@10.0.0.1:8000" })).toThrow(/the address must not contain/u);
  const seen: string[] = [];
  const server = vllmServer({
    url: "https://10.0.0.1:8000/",
    apiKey: "secret-key",
    fetch: async (_, init) => {
      seen.push(new Headers(init?.headers).get("authorization") ?? "");
      return new Response("bad key secret-key", { status: 401 });
    },
  });
  await expect(server.facts()).rejects.toMatchObject({ message: expect.stringMatching(/bad key \[redacted\]/u) });
  expect(seen).toEqual(["Bearer secret-key"]);
});

test.each(["unload", "load", "models"])("a server that never answers %s does not delay the end", async (silent) => {
  const late: AbortController[] = [];
  const timeout = (): AbortSignal => {
    const controller = new AbortController();
    late.push(controller);
    return controller.signal;
  };
  const { model, one, two, fleet } = await onFakes({ fleet: { clock: { ...quick, timeout } } });
  const never = new Promise<void>(() => undefined);
  const hangs = new RegExp(silent === "load" ? "/load_lora" : silent === "unload" ? "/unload_lora" : "/v1/models", "u");
  one.faults = (path) => (hangs.test(path) ? { kind: "waits", until: never } : null);
  const sampled = model.sample(requests(silent === "load" ? 0 : 12));
  await vi.waitUntil(() => two.names.length === 1);
  await sampled;
  const ended = (async () => {
    await model.dispose();
    await fleet.clear("run.");
    fleet.close();
  })();
  let over = false;
  void ended.then(() => (over = true));
  await vi.waitUntil(() => {
    for (const item of late.splice(0)) item.abort(new DOMException("late", "TimeoutError"));
    return over;
  });
  await ended;
  expect(two.names).toEqual([]);
});

test("reports a failed load once for all waiting requests", async () => {
  const { model, one, fleet, notes } = await onFakes();
  fleet.tolerance = 1e-3;
  const snapshot = await model.snapshot();
  await snapshot.sample(requests(12));
  await step(model);
  one.faults = (path) => (isReply(path) ? { kind: "stale" } : null);
  await model.sample(requests(48));
  const reported = notes.filter((note) => note.includes(": loaded "));
  expect(new Set(reported).size).toBe(reported.length);
  expect(reported.length).toBeGreaterThan(0);
  expect(reported.length).toBeLessThanOrEqual(3);
  await snapshot.dispose();
});
