import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { hostOf, networkReason } from "./index.ts";

test.each([
  ["https://user:secret@api.example.com/v1?key=secret", "api.example.com"],
  ["http://127.0.0.1:8000/v1", "127.0.0.1:8000"],
  ["http://[::1]:8000", "[::1]:8000"],
  ["ai-sdk:mock", "ai-sdk:mock"],
])("the host of %s is %s", (address, host) => expect(hostOf(address)).toBe(host));

const failure = (address: string, init?: RequestInit): Promise<unknown> =>
  fetch(address, init)
    .then(
      (reply) => reply.text(),
      (error: unknown) => error,
    )
    .catch((error: unknown) => error);

test("names why fetch failed", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(networkReason(await failure(`http://127.0.0.1:${port}`))).toMatch(/^connection reset \(/u);
  expect(networkReason(await failure(`https://127.0.0.1:${port}`))).toMatch(/^connection reset \(/u);
  server.close();
  await once(server, "close");
  expect(networkReason(await failure(`http://127.0.0.1:${port}`))).toBe("connection refused (ECONNREFUSED)");
  const signal = AbortSignal.timeout(1);
  expect(networkReason(await failure(`http://127.0.0.1:${port}`, { signal }))).toMatch(/refused|no reply in time/u);
});

test.each([
  [
    new Error("x", { cause: Object.assign(new AggregateError([]), { code: "ETIMEDOUT" }) }),
    "no reply in time (ETIMEDOUT)",
  ],
  [new AggregateError([Object.assign(new Error("x"), { code: "ENOTFOUND" })]), "host not found (ENOTFOUND)"],
  [Object.assign(new Error("x"), { code: "EODD" }), "EODD"],
  [Object.assign(new Error("x"), { code: "http://secret" }), "x"],
  [new TypeError("fetch failed", { cause: new Error("bad port") }), "bad port"],
  [new DOMException("slow", "TimeoutError"), "no reply in time (TimeoutError)"],
  ["a text", "a text"],
  [null, "null"],
])("reads %s", (error, reason) => expect(networkReason(error)).toBe(reason));
