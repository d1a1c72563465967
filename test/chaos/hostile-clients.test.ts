import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { complaintAbout, startLaconic } from "./laconic-process.ts";

const post = "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
const sized = (body: string | Uint8Array): (string | Uint8Array)[] => [
  `${post}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
  body,
];
const asks = (change: object): (string | Uint8Array)[] =>
  sized(JSON.stringify({ model: "relay-one-fact", prompt: "f", max_tokens: 2, ...change }));

const attacks: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
  "no HTTP": ["\u0016\u0003\u0001\u0002 hello\r\n\r\n"],
  noise: [Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) >> 3)],
  "a header of a megabyte": [`GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(1 << 20)}\r\n\r\n`],
  "ten thousand headers": [`GET /v1/models HTTP/1.1\r\nhost: localhost\r\n${"x: y\r\n".repeat(10_000)}\r\n`],
  "an address of a megabyte": [`GET /${"x".repeat(1 << 20)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  "a path that climbs": ["GET /../../../../etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n"],
  "no host": ["GET /v1/models HTTP/1.1\r\n\r\n"],
  "another host": ["GET /v1/models HTTP/1.1\r\nhost: evil.example\r\n\r\n"],
  "two lengths": [`${post}content-length: 2\r\ncontent-length: 9\r\n\r\n{}`],
  "a length and chunks": [`${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  "a length that is none": [`${post}content-length: lots\r\n\r\n{}`],
  "a body that is too long": [`${post}content-length: 999999999999\r\n\r\n{`],
  "chunks without end": [
    `${post}transfer-encoding: chunked\r\n\r\n`,
    ...Array.from({ length: 80 }, () => `10000\r\n${"x".repeat(65_536)}\r\n`),
  ],
  "half a body, and silence": [`${post}content-length: 500\r\n\r\n{"model":`],
  "no JSON": sized("prompt=hello"),
  "an empty body": sized(""),
  null: sized("null"),
  "a list of lists of lists": sized("[".repeat(200_000) + "]".repeat(200_000)),
  "no UTF-8": sized(Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  "a prototype": sized('{"__proto__": {"model": "x"}, "model": "relay-one-fact", "prompt": "f"}'),
  "another model": asks({ model: "../../etc/passwd" }),
  "a prompt that is no text": asks({ prompt: { toString: "x" } }),
  "a prompt over the context": asks({ prompt: "f".repeat(3_000_000) }),
  "half a character": asks({ prompt: "\uD800" }),
  "tokens that there are not": asks({ prompt: [0, -1, 1e9] }),
  "a temperature below zero": asks({ temperature: -1 }),
  "a temperature beyond numbers": sized('{"model":"relay-one-fact","prompt":"f","temperature":1e999}'),
  "a million choices": asks({ n: 1_000_000 }),
  "a reply longer than the context": asks({ max_tokens: 1e15 }),
  "a reply shorter than none": asks({ max_tokens: -1 }),
  "ten thousand prompts": asks({ prompt: Array.from({ length: 10_000 }, () => "f") }),
  "a stop text of a megabyte": asks({ stop: "x".repeat(1 << 20) }),
  "a bias for every number": asks({
    logit_bias: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [i, 1e9])),
  }),
};

async function attack(port: number, pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let got = "";
  socket.on("error", () => undefined).on("data", (piece: Buffer) => (got += piece.toString("latin1")));
  await once(socket, "connect");
  for (const piece of pieces) if (!socket.destroyed) socket.write(piece);
  // Not `once`, which fails on an error: a server that refuses may reset what is still being sent.
  const closed = new Promise((done) => socket.once("close", done));
  const answered = new Promise<void>((done) => socket.once("data", () => setTimeout(done, 20)));
  await Promise.race([closed, answered, new Promise((done) => setTimeout(done, 500))]);
  if (!socket.destroyed) socket.resetAndDestroy();
  await closed;
  return got;
}

test("serve survives hostile clients, rejects them, and answers all others", async () => {
  const server = startLaconic(["serve", "shipped", "--port", "0", "--device", "wasm"]);
  const [, port = ""] = /127\.0\.0\.1:(\d+)/u.exec(await server.says(/serving .*ctrl-c stops/u)) ?? [];
  const url = `http://127.0.0.1:${port}/v1`;
  const isWell = async (): Promise<unknown> => {
    const response = await fetch(`${url}/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "relay-one-fact", prompt: "f", max_tokens: 2, temperature: 0 }),
    });
    return ((await response.json()) as { readonly choices: unknown }).choices;
  };
  const before = await isWell();
  expect(before).toHaveLength(1);
  for (const [name, pieces] of Object.entries(attacks)) {
    const got = await attack(Number(port), pieces);
    expect(got, name).not.toMatch(/^HTTP\/1\.1 5|\bat .*:\d+:\d+|root:|node_modules/mu);
    expect([name, await isWell()]).toEqual([name, before]);
  }
  await Promise.all(
    Object.values(attacks)
      .flatMap((pieces) => [pieces, pieces])
      .map((pieces) => attack(Number(port), pieces)),
  );
  expect(await isWell()).toEqual(before);
  server.kill("SIGTERM");
  const ended = await server.ended;
  expect([ended.code, complaintAbout(ended)]).toEqual([0, null]);
  expect(ended.err).not.toMatch(/^error: /mu);
});
