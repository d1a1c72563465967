import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { readCalls } from "@laconic/meter";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, outputOf } from "../../test/laconic.ts";

/** Answers in `waitMs` milliseconds; counts calls. */
async function upstream(
  waitMs: number,
  answer: (body: string) => string = () => "The answer to this question is 4, as a sum shows.",
) {
  let calls = 0;
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then(async (body) => {
      calls += 1;
      await sleep(waitMs);
      const message = { role: "assistant", content: answer(String(body)) };
      const usage = { prompt_tokens: body.length, completion_tokens: 12, total_tokens: body.length + 12 };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      outgoing.setHeader("content-type", "application/json");
      outgoing.end(JSON.stringify({ id: "1", object: "chat.completion", created: 0, model: "gpt-4o", choices, usage }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls: () => calls };
}

const binary = fileURLToPath(new URL("../../assets/laconic.mjs", import.meta.url));

async function startMeter(...words: readonly string[]) {
  const child = spawn(process.execPath, [binary, "meter", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let notes = "";
  const url = await new Promise<string>((done, fail) => {
    child.once("exit", () => fail(new Error(notes)));
    child.stderr.on("data", (chunk: Buffer) => {
      notes += String(chunk);
      const [, address] = /meter on (http:\S+):/u.exec(notes) ?? [];
      if (address !== undefined) done(address);
    });
  });
  return { child, url };
}

const ask = (client: OpenAI, agent: string, content: string) =>
  client.chat.completions.create(
    { model: "gpt-4o", messages: [{ role: "user", content }] },
    { headers: { "x-laconic-agent": agent } },
  );

test("a program gets the meter's addresses, its exit code is passed on, and the bill is exact", async () => {
  const { url, calls } = await upstream(0);
  const out = await temporaryFolder();
  const program = `
    const send = (body) => fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body });
    for (const content of ["one", "two"]) {
      const response = await send(JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }] }));
      await response.text();
    }
    process.exit(7);`;
  const words = [
    "meter",
    "--upstream",
    url,
    "--out",
    out,
    "--",
    process.execPath,
    "--input-type=module",
    "-e",
    program,
  ];
  const child = spawn(process.execPath, [binary, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const errors = buffer(child.stderr);
  expect(await once(child, "exit")).toEqual([7, null]);
  expect(String(await errors)).toContain("all tables: laconic meter report");
  const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "one" }] });
  const report = JSON.parse(await outputOf("meter", "report", out, "--json")) as { total: object; lost: number };
  expect([calls(), report.lost]).toEqual([2, 0]);
  expect(report.total).toMatchObject({ calls: 2, promptTokens: 2 * body.length, completionTokens: 24 });
});

test("after a kill, finished calls are recorded, running ones are counted as lost, and none is sent twice", async () => {
  const { url, calls } = await upstream(150);
  const out = await temporaryFolder();
  const meter = await startMeter("--upstream", url, "--out", out);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${meter.url}/v1`, maxRetries: 0 });
  const outcomes: Promise<boolean>[] = [];
  for (let i = 0; i < 40; i++) {
    outcomes.push(
      ask(client, `agent ${i % 4}`, `Question ${i} of this test`).then(
        () => true,
        () => false,
      ),
    );
    await sleep(10);
  }
  meter.child.kill("SIGKILL");
  const answered = (await Promise.all(outcomes)).filter(Boolean).length;
  const { calls: recorded, lost, damaged } = await readCalls(out);
  expect(answered).toBeGreaterThan(5);
  expect(recorded.filter(({ status, isCut }) => status === 200 && !isCut).length).toBeGreaterThanOrEqual(answered - 1);
  expect(recorded.length + lost).toBeGreaterThanOrEqual(calls() - 1);
  expect([calls() <= 40, damaged]).toEqual([true, 0]);
  const again = await startMeter("--upstream", url, "--out", out);
  await ask(new OpenAI({ apiKey: "sk-test", baseURL: `${again.url}/v1` }), "later", "Another question");
  again.child.kill("SIGTERM");
  await once(again.child, "exit");
  expect((await readCalls(out)).calls).toHaveLength(recorded.length + 1);
});

test("the value of an agent is measured on recorded tasks, within the limit and with an own grader", async () => {
  const hint = "A hint for you: both prices have to be added.";
  const { url, calls } = await upstream(0, (body) => {
    if (body.includes("Give a hint")) return hint;
    return body.includes(hint) || body.includes("easy") ? "The result of it is 12." : "The result of it is 7.";
  });
  const out = await temporaryFolder();
  const meter = await startMeter("--upstream", url, "--out", out);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${meter.url}/v1`, maxRetries: 0 });
  for (let i = 0; i < 60; i++) {
    const question = `Problem ${i}, ${i % 3 === 0 ? "easy" : "hard"}: what do both cost together?`;
    await ask(client, "helper", `Give a hint. ${question}`);
    await ask(client, "solver", `${question}\n${hint}`);
  }
  meter.child.kill("SIGTERM");
  await once(meter.child, "exit");
  const before = calls();
  const value = (...words: readonly string[]) =>
    outputOf("meter", "value", out, "--agent", "helper", "--upstream", url, "--json", ...words);
  const agreed = JSON.parse(await value()) as { difference: Record<string, number>; tasks: number; calls: number };
  expect(agreed.difference["high"]).toBeLessThan(0);
  expect(agreed.tasks).toBeLessThan(40);
  expect(calls() - before).toBe(agreed.calls);
  const grader = join(out, "grader.mjs");
  await writeFile(grader, "export default (answer) => Number(answer.includes(' 7.'));");
  const own = JSON.parse(await value("--grader", grader)) as { difference: Record<string, number>; end: string };
  expect([(own.difference["low"] ?? 0) > 0, own.end]).toEqual([true, "decided"]);
  const limited = JSON.parse(await value("--max-usd", "0.0000001")) as object;
  expect(limited).toMatchObject({ tasks: 0, calls: 0, usd: 0, end: "limit" });
  expect(await outputOf("meter", "value", out, "--agent", "helper", "--upstream", url)).toContain("Without it: −");
  await expectRefused(["meter", "value", out, "--agent", "nobody"], "no whole task with an agent nobody");
});

test("refuses unknown prices, limits and upstreams with the flag's name", async () => {
  await expectRefused(["meter", "--max-agent", "critic"], "--max-agent: critic is not NAME=VALUE");
  await expectRefused(["meter", "--upstream", "nowhere"], "--upstream");
  await expectRefused(["meter", "report", "--prices", "no-such-file.json"], "--prices no-such-file.json");
});
