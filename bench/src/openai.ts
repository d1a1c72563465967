// Completions a second against a server that answers in 50 ms, 64 at a time, on one core: ideally 64 / 0.05 = 1,280. Beside
// it, in the same run, what Node's fetch alone reaches with the same server.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { randomFromSeed } from "@laconic/core";
import { Limiter, openAiModel } from "@laconic/openai";
import { machine, print } from "./measure.ts";
import { readWords } from "./options.ts";

const [delayMs, connections, requests] = [50, 64, 5000] as const;

if (readWords()[0] === "server") serve();
else await measure();

function serve(): void {
  const reply = JSON.stringify({
    choices: [{ finish_reason: "stop", message: { content: "yes" } }],
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  });
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(reply), delayMs);
  }).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function measure(): Promise<void> {
  const child = fork(import.meta.filename, ["server"]);
  const [port] = (await once(child, "message")) as [number];
  const limiter = new Limiter({ start: connections, max: connections });
  const model = openAiModel({ model: "fake", baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "none", limiter });
  const random = randomFromSeed(0);
  const ask = (i: number): Promise<unknown> =>
    model.complete({
      prompt: { kind: "messages", messages: [{ role: "user", content: "yes or no?" }] },
      sampling: { temperature: 0, maxTokens: 8 },
      random: random.split(String(i)).state(),
    });
  const plain = async (): Promise<void> => {
    await (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" })).text();
  };
  const perSecond = async (call: (i: number) => Promise<unknown>, count: number): Promise<number> => {
    const start = performance.now();
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) await call(next++);
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return count / ((performance.now() - start) / 1000);
  };
  print("machine", machine());
  await perSecond(ask, 2000);
  const fetched = await perSecond(plain, requests);
  const cpu = process.cpuUsage();
  const rate = await perSecond(ask, requests);
  const { user, system } = process.cpuUsage(cpu);
  print("openai", {
    requests,
    perSecond: Math.round(rate),
    ofIdeal: rate / ((1000 / delayMs) * connections),
    fetchAlonePerSecond: Math.round(fetched),
    ofFetchAlone: rate / fetched,
    cores: ((user + system) / 1e6) * (rate / requests),
  });
  child.kill();
}
