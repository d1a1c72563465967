import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "./tiny-gateway.ts";

const size = 6_000_000;

test.each([
  [413, "POST /v1/rollouts/a/chat/completions", "application/json"],
  [415, "POST /v1/rollouts/a/chat/completions", "text/plain"],
  [404, "POST /v1/nothing", "application/json"],
  [405, "PUT /v1/rollouts/a/chat/completions", "application/json"],
])("megabytes rejected with %d do not block the next request on the connection", async (status, asked, type) => {
  const { url } = await startGateway();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  let answers = "";
  socket.on("data", (piece: Buffer) => (answers += piece.toString()));
  const head = (more: string): string => `host: localhost\r\ncontent-type: ${type}\r\n${more}\r\n`;
  socket.write(`${asked} HTTP/1.1\r\n${head(`content-length: ${size}\r\n`)}`);
  await expect.poll(() => answers.length > 0 || socket.writableLength === 0).toBe(true);
  socket.write("x".repeat(size)); // as most clients do, whatever is answered meanwhile
  socket.write(`GET /health HTTP/1.1\r\n${head("connection: close\r\n")}`);
  await once(socket, "end");
  expect(answers.match(/HTTP\/1\.1 \d+/gu)).toEqual([`HTTP/1.1 ${status}`, "HTTP/1.1 200"]);
});
