import { once } from "node:events";
import { createServer, type Socket, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** Answer of a server to each connection with data; by default it hangs up. */
export interface Hostility {
  readonly name: string;
  readonly answer: (socket: Socket) => void;
  readonly isAnswer?: boolean;
  /** Only the client can end it. */
  readonly stalls?: true;
}

const head = (status: string, headers: readonly string[] = []): string =>
  `HTTP/1.1 ${status}\r\n${["content-type: application/json", ...headers].map((line) => `${line}\r\n`).join("")}\r\n`;

const says =
  (...pieces: readonly (string | Uint8Array)[]) =>
  (socket: Socket): void => {
    for (const piece of pieces) socket.write(piece);
    socket.end();
  };

const body = (content: string | Uint8Array, status = "200 OK", headers: readonly string[] = []): Hostility["answer"] =>
  says(head(status, [`content-length: ${Buffer.byteLength(content)}`, ...headers]), content);

const reply = (message: unknown, usage: unknown = { prompt_tokens: 7, completion_tokens: 2 }): string =>
  JSON.stringify({ choices: [{ finish_reason: "stop", message }], usage });

const endless =
  (start: string, piece: string): Hostility["answer"] =>
  (socket) => {
    socket.write(start);
    const pump = (): void => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once("drain", pump);
    };
    pump();
  };

const drip =
  (start: string, piece: string): Hostility["answer"] =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 50);
    socket.once("close", () => clearInterval(timer));
  };

export const hostilities: readonly Hostility[] = [
  { name: "hangs up at once", answer: (socket) => void socket.destroy() },
  { name: "hangs up without a word", answer: (socket) => void socket.end() },
  { name: "says nothing", answer: () => undefined, stalls: true },
  { name: "speaks no HTTP", answer: says("SSH-2.0-OpenSSH_9.6\r\n") },
  { name: "sends noise", answer: says(Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) >> 3)) },
  { name: "has a status that is none", answer: says("HTTP/1.1 99999 What\r\n\r\n") },
  { name: "answers 204 without a body", answer: says("HTTP/1.1 204 No Content\r\n\r\n") },
  { name: "answers 304", answer: says(head("304 Not Modified")) },
  { name: "switches protocols", answer: says("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n") },
  { name: "informs without end", answer: endless("", "HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n"), stalls: true },
  { name: "has a header of a megabyte", answer: says(head("200 OK", [`x-long: ${"x".repeat(1 << 20)}`]), "{}") },
  {
    name: "has fifty thousand headers",
    answer: says(
      head(
        "200 OK",
        Array.from({ length: 50_000 }, (_, i) => `x-${i}: y`),
      ),
      "{}",
    ),
  },
  { name: "sends less than it says", answer: says(head("200 OK", ["content-length: 5000"]), '{"choices": [') },
  { name: "sends more than it says", answer: says(head("200 OK", ["content-length: 2"]), '{}{"choices": []}') },
  { name: "has two lengths", answer: says(head("200 OK", ["content-length: 2", "content-length: 3"]), "{}") },
  { name: "has a length below zero", answer: says(head("200 OK", ["content-length: -1"]), "{}") },
  { name: "has a chunk of no size", answer: says(head("200 OK", ["transfer-encoding: chunked"]), "zz\r\n{}\r\n") },
  { name: "has a chunk without end", answer: says(head("200 OK", ["transfer-encoding: chunked"]), "fffffffff\r\n{}") },
  {
    name: "resets in the middle",
    answer: (socket) =>
      void socket.write(head("200 OK", ["content-length: 500"]) + "{", () => socket.resetAndDestroy()),
  },
  { name: "drips", answer: drip(head("200 OK", ["content-length: 900000"]), " "), stalls: true },
  { name: "drips headers", answer: drip("HTTP/1.1 200 OK\r\n", "x"), stalls: true },
  { name: "does not end", answer: endless(head("200 OK"), " ".repeat(1 << 18)), stalls: true },
  { name: "does not end an error", answer: endless(head("500 Oh"), "x".repeat(1 << 18)), stalls: true },
  { name: "is a login page", answer: body("<!doctype html><title>Sign in</title>", "200 OK") },
  { name: "is a proxy's page", answer: body("<html>502</html>", "502 Bad Gateway") },
  { name: "is empty", answer: body("") },
  { name: "is null", answer: body("null") },
  { name: "is a number", answer: body("1e999") },
  { name: "is a list of lists of lists", answer: body("[".repeat(200_000) + "]".repeat(200_000)) },
  { name: "is not UTF-8", answer: body(Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22])) },
  { name: "names a prototype", answer: body('{"__proto__": {"choices": [{}]}, "constructor": 1}') },
  { name: "is gzip that is none", answer: body("not gzip", "200 OK", ["content-encoding: gzip"]) },
  {
    name: "is a bomb of gzip",
    answer: body(gzipSync(Buffer.alloc(64 << 20, " ")), "200 OK", ["content-encoding: gzip"]),
  },
  { name: "is in an encoding that nobody knows", answer: body("{}", "200 OK", ["content-encoding: laconic"]) },
  { name: "sends elsewhere", answer: says(head("302 Found", ["location: http://127.0.0.1:1/elsewhere"])) },
  { name: "sends to a file", answer: says(head("307 Temporary Redirect", ["location: file:///etc/passwd"])) },
  { name: "sends to no address", answer: says(head("301 Moved", ["location: http://["])) },
  { name: "asks to wait for ever", answer: body("{}", "429 Too Many", ["retry-after: 1e999"]) },
  {
    name: "asks to come back in the year 9999",
    answer: body("{}", "503 Later", ["retry-after: Fri, 31 Dec 9999 23:59:59 GMT"]),
  },
  { name: "has content that is no text", answer: body(reply({ content: { toString: 1 } })) },
  {
    name: "has usage below zero",
    answer: body(reply({ content: "x" }, { prompt_tokens: -5, completion_tokens: -1e308 })),
    isAnswer: true,
  },
  {
    name: "has usage beyond numbers",
    answer: body(reply({ content: "x" }, { prompt_tokens: 1e308, completion_tokens: "many" })),
    isAnswer: true,
  },
  {
    name: "has text with control characters",
    answer: body(reply({ content: "\u001B]0;title\u0007\u0000\uD800" })),
    isAnswer: true,
  },
];

export async function hostileServer({ answer }: Hostility): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
