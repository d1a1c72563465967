import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { exchange } from "./exchange.ts";

test("a request on a connection that the server has closed is sent again, on a new one", async () => {
  const used = new Set<Socket>();
  let resets = 0;
  const server = createServer(({ socket, url }, response) => {
    if (url === "/never" || used.has(socket)) {
      resets += 1;
      return void socket.resetAndDestroy();
    }
    used.add(socket);
    response.setHeader("retry-after", "3").end(`é${used.size}`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string): Promise<unknown> => {
    const reply = await exchange(`${base}${path}`, { method: "POST", headers: {}, body: "{}", maxBytes: 10 });
    if (reply.kind === "silent") return reply.reason;
    return [reply.status, new TextDecoder().decode(reply.bytes), reply.headers.get("retry-after")];
  };
  expect(await ask("/")).toEqual([200, "é1", "3"]);
  expect(await ask("/")).toEqual([200, "é2", "3"]);
  expect(resets).toBe(1);
  expect(await ask("/never")).toBe("connection reset (ECONNRESET)");
  expect(resets).toBe(2);
});
