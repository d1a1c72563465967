import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHandlerServer } from "../src/handler-server.ts";
import type { CompletionHandler } from "../src/http.ts";

const errors: unknown[] = [];

/** A connection to a server that waits for nobody longer than a fifth of a second. */
async function connected(handler: CompletionHandler): Promise<Socket> {
  const server = createHandlerServer(handler, (error) => errors.push(error), {
    headMs: 200,
    requestMs: 200,
    readMs: 200,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

async function readToEnd(socket: Socket): Promise<string> {
  let read = "";
  socket.on("data", (piece: Buffer) => (read += piece.toString()));
  await once(socket, "close");
  return read;
}

const echo: CompletionHandler = async (request) => new Response(await request.text());

test.each([
  ["head", "POST / HTTP/1.1\r\nhost: localhost\r\n"],
  ["body", "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nx"],
])("a %s that never ends gets status 408", async (_, half) => {
  const socket = await connected(echo);
  socket.write(half);
  expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 408 /u);
});

test("cuts a client that reads nothing of a long reply and aborts the reply", async () => {
  const calledOff = new Promise<void>((done) => {
    const endless: CompletionHandler = async () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
          cancel: () => done(),
        }),
      );
    void connected(endless).then((socket) => socket.pause().write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
  });
  await calledOff;
});

test("a client that waits for a slow reply gets it", async () => {
  const late: CompletionHandler = async () => {
    await new Promise((done) => setTimeout(done, 700));
    return new Response("late");
  };
  const socket = await connected(late);
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  expect(await readToEnd(socket)).toMatch(/\blate\b/u);
  expect(errors).toEqual([]);
});
