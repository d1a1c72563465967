import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHandlerServer } from "../src/handler-server.ts";

async function started(
  callers?: Parameters<typeof createHandlerServer>[2],
): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createHandlerServer(
    async ({ method }) => {
      asked.push(method);
      return new Response("done");
    },
    (error) => expect.fail(String(error)),
    callers,
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

async function statusOf(port: number, method: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const sent = request({ host: "127.0.0.1", port, method, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

const foreign = [
  { host: "evil.example" },
  { host: "localhost", origin: "https://evil.example" },
  { host: "localhost", origin: "null" },
  { host: "localhost", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
];

test("no request of a foreign page reaches any handler, for every method", async () => {
  const { port, asked } = await started();
  for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
    for (const headers of foreign) expect([headers, await statusOf(port, method, headers)]).toEqual([headers, 403]);
  expect(asked).toEqual([]);
  expect(await statusOf(port, "DELETE", { host: `localhost:${port}` })).toBe(200);
  expect(await statusOf(port, "PUT", { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` })).toBe(200);
});

test("with a key, accepts configured host names only", async () => {
  const { port, asked } = await started({ hosts: ["0.0.0.0", "Node-3.example"], apiKey: "secret" });
  for (const host of ["node-3.example:8790", "10.0.0.3:8790"]) expect(await statusOf(port, "PUT", { host })).toBe(200);
  for (const headers of [{ host: "evil.example" }, { host: "node-3.example", origin: "https://evil.example" }])
    expect(await statusOf(port, "PUT", headers)).toBe(403);
  expect(asked).toEqual(["PUT", "PUT"]);
});
