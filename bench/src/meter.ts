// Time that the meter adds to calls over a plain proxy, and the meter's memory. Streamed replies take 0.5 to 1.5 seconds,
// which are subtracted. The two proxies take turns, each in its process.
//
// npx tsx bench/src/meter.ts [--calls 1000] [--concurrency 64] [--flat 100000]
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, request, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { meterProxy, openStore, Recorder, Spending } from "@laconic/meter";
import { machine, print, round3 } from "./measure.ts";
import { readOptions } from "./options.ts";

const [role, upstreamUrl = "", folder = ""] = process.argv.slice(2);
const chunks = 20;

/** The 200 words of a reply, in chunks. */
function chunksOf(turn: number): readonly string[] {
  const wordsOf = (chunk: number) => Array.from({ length: 10 }, (_, word) => `${turn}-${chunk}-${word} `);
  return Array.from({ length: chunks }, (_, chunk) => wordsOf(chunk).join(""));
}

/** Streams a reply; its delay comes with the request. */
const replies: RequestListener = (incoming, outgoing) => {
  const [turn, milliseconds] = [incoming.headers["x-turn"], incoming.headers["x-milliseconds"]].map(Number);
  const send = async (): Promise<void> => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of chunksOf(turn!)) {
      if (milliseconds! > 0) await wait(milliseconds! / chunks);
      outgoing.write(`data: ${JSON.stringify({ model: "gpt-4o", choices: [{ index: 0, delta: { content } }] })}\n\n`);
    }
    const usage = { prompt_tokens: 1000, completion_tokens: 200 };
    outgoing.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  };
  incoming.resume().once("end", () => void send());
};

const plain: RequestListener = (incoming, outgoing) => {
  const { headers, method, url } = incoming;
  const upstream = request(`${upstreamUrl}${url}`, { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
    void pipeline(reply, outgoing);
  });
  void pipeline(incoming, upstream);
};

async function metered() {
  const now = () => new Date().getTime();
  const spending = new Spending({ agents: {} });
  const recorder = new Recorder({
    store: await openStore(folder, { texts: true, keepDays: 0 }),
    now,
    onGap: (reason) => process.stderr.write(`${reason}\n`),
    onCall: (call) => spending.add(call),
  });
  return meterProxy({ recorder, upstream: { openai: upstreamUrl, anthropic: upstreamUrl }, spending, now });
}

/** Three agents read the task and the replies before theirs; 4,000 characters of instructions. */
function bodyOf(call: number): string {
  const first = call - (call % 3);
  const earlier = Array.from({ length: call % 3 }, (_, turn) => chunksOf(first + turn).join(""));
  const texts = [`Task ${first / 3}`, ...earlier].map((content) => ({ role: "user", content }));
  const system = `Agent ${"abc"[call % 3]}. ${"Answer in short sentences. ".repeat(150)}`;
  return JSON.stringify({ model: "gpt-4o", stream: true, messages: [{ role: "system", content: system }, ...texts] });
}

/** Milliseconds of each call beyond those of its reply. */
async function play(url: string, calls: number, concurrency: number, meanMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const latencies: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < calls) {
      const turn = next++;
      const milliseconds = meanMs * (0.5 + ((7919 * turn) % 1000) / 1000);
      const headers = { "x-milliseconds": `${milliseconds}`, "x-turn": `${turn}`, "content-type": "application/json" };
      const started = performance.now();
      const sent = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }).end(bodyOf(turn));
      const [reply] = await once(sent, "response");
      await once(reply.resume(), "end");
      latencies.push(performance.now() - started - milliseconds);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  agent.destroy();
  return latencies;
}

async function start(...words: string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = fork(import.meta.filename, words, { execArgv: ["--expose-gc", ...process.execArgv] });
  const [port] = (await once(child, "message")) as [number];
  return { child, url: `http://127.0.0.1:${port}` };
}

async function measure(): Promise<void> {
  const number = (usual: string) => ({ type: "string", default: usual }) as const;
  const options = { calls: number("1000"), concurrency: number("64"), flat: number("100000") };
  const given = readOptions({ options }).values;
  const [calls, concurrency, flat] = [Number(given.calls), Number(given.concurrency), Number(given.flat)];
  const directory = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  const upstream = await start("replies");
  const sides = { plain: await start("plain", upstream.url), meter: await start("meter", upstream.url, directory) };
  const latencies: Record<string, number[]> = { plain: [], meter: [] };
  for (const side of Object.values(sides)) await play(side.url, concurrency, concurrency, 100);
  for (let round = 0; round < 2; round++)
    for (const [name, { url }] of Object.entries(sides))
      latencies[name]?.push(...(await play(url, calls / 2, concurrency, 1000)));
  print("machine", machine());
  for (const [side, values] of Object.entries(latencies)) {
    values.sort((a, b) => a - b);
    const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => round3(values[Math.floor(share * values.length)] ?? 0));
    print("meter", { side, calls, concurrency, p50Ms, p99Ms });
  }
  for (let part = 1; part <= 4 && flat > 0; part++) {
    await play(sides.meter.url, flat / 4, concurrency, 0);
    sides.meter.child.send("heap");
    const [heapMiB] = (await once(sides.meter.child, "message")) as [number];
    print("meter-memory", { calls: (part * flat) / 4, heapMiB });
  }
  for (const { child } of [upstream, ...Object.values(sides)]) child.kill();
  await rm(directory, { recursive: true });
}

if (role === "replies" || role === "plain" || role === "meter") {
  const server = role === "meter" ? await metered() : createServer(role === "plain" ? plain : replies);
  await once(server.listen(0, "127.0.0.1"), "listening");
  process.send?.((server.address() as AddressInfo).port);
  process.on("message", () => {
    globalThis.gc?.();
    process.send?.(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
  });
  process.once("disconnect", () => process.exit());
} else await measure();
