import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

/** Address and identity of a client. */
export interface Target {
  readonly port: number;
  readonly key: string;
  readonly model: string;
}

/** Result of a healthy request. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

const headersOf = ({ key }: Target): Record<string, string> => ({
  "content-type": "application/json",
  authorization: `Bearer ${key}`,
});
const bodyOf = ({ model }: Target, change: object = {}): string =>
  JSON.stringify({ model, prompt: "f", max_tokens: 8, temperature: 0, ...change });

/** Sends a request as OpenAI's client does. @throws Error if the connection fails */
export async function ask(target: Target, agent: Agent, isStreamed: boolean): Promise<Answered> {
  const start = performance.now();
  const sent = request({
    port: target.port,
    host: "127.0.0.1",
    method: "POST",
    path: "/v1/completions",
    agent,
    headers: headersOf(target),
  });
  sent.end(bodyOf(target, { stream: isStreamed }));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let body = "";
  for await (const piece of response) body += String(piece);
  const status = response.statusCode ?? 0;
  const choiceOf = (json: string): string =>
    (JSON.parse(json) as { readonly choices?: readonly { readonly text: string }[] }).choices?.[0]?.text ?? "";
  const events = body.split("\n\n").filter((event) => event.startsWith("data: {"));
  const text = isStreamed ? events.map((event) => choiceOf(event.slice(6))).join("") : choiceOf(body);
  return { status, text, milliseconds: performance.now() - start };
}

/** Pauses like a person or a program. */
export async function healthyClient(
  target: Target,
  until: number,
  heard: (answer: Answered | Error) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let turn = randomInt(2); performance.now() < until; turn++) {
    heard(await ask(target, agent, turn % 2 === 0).catch((error: unknown) => error as Error));
    await pause(1000 + randomInt(3000));
  }
  agent.destroy();
}

const head = (target: Target, length: number | "chunked", key = target.key): string =>
  [
    "POST /v1/completions HTTP/1.1",
    "host: 127.0.0.1",
    "content-type: application/json",
    `authorization: Bearer ${key}`,
    length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`,
    "",
    "",
  ].join("\r\n");
const whole = (target: Target, body: string, key?: string): string => head(target, Buffer.byteLength(body), key) + body;

/** Uses a connection until it hangs up. */
type Misdeed = (socket: Socket, target: Target, until: number) => Promise<void> | void;

async function drip(socket: Socket, text: string, everyMs: number, until: number): Promise<void> {
  for (const byte of text) {
    if (socket.destroyed || performance.now() > until) return;
    socket.write(byte);
    await pause(everyMs);
  }
}

const misdeeds: Readonly<Record<string, Misdeed>> = {
  "cut in the head": (socket, target) => void socket.write(head(target, 99).slice(0, 40)),
  "cut in the body": (socket, target) => void socket.write(whole(target, bodyOf(target)).slice(0, -10)),
  "cut before the reply": (socket, target) => void socket.write(whole(target, bodyOf(target))),
  "cut in the stream": async (socket, target) => {
    socket.write(whole(target, bodyOf(target, { stream: true, max_tokens: 64 })));
    await Promise.race([once(socket, "data"), pause(5000)]);
  },
  "reads nothing": async (socket, target, until) => {
    socket.pause();
    const one = whole(target, bodyOf(target, { stream: true, max_tokens: 16, logprobs: 5 }));
    for (let sent = 0; sent < 20 && !socket.destroyed; sent++) socket.write(one);
    await pause(Math.min(20_000, until - performance.now()));
  },
  "a slow head": (socket, target, until) => drip(socket, head(target, 9), 300, until),
  "a slow body": async (socket, target, until) => {
    socket.write(head(target, 50_000));
    await drip(socket, "x".repeat(100), 300, until);
  },
  "a giant body": async (socket, target) => {
    socket.write(head(target, 64 << 20));
    for (let sent = 0; sent < 64 && !socket.destroyed; sent++) {
      socket.write("x".repeat(1 << 20));
      await pause(20);
    }
  },
  "chunks without end": async (socket, target) => {
    socket.write(head(target, "chunked"));
    for (let sent = 0; sent < 200 && !socket.destroyed; sent++) {
      socket.write(`10000\r\n${"x".repeat(65_536)}\r\n`);
      await pause(10);
    }
  },
  "no JSON": (socket, target) => void socket.write(whole(target, "{".repeat(5000))),
  "a deep body": (socket, target) => void socket.write(whole(target, "[".repeat(200_000))),
  "another key": (socket, target) => void socket.write(whole(target, bodyOf(target), "wrong")),
  "another model": (socket, target) => void socket.write(whole(target, bodyOf({ ...target, model: "../etc" }))),
  "a long prompt": (socket, target) =>
    void socket.write(whole(target, bodyOf(target, { prompt: "f".repeat(1 << 20) }))),
  "no HTTP": (socket) => void socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])),
  silence: (_, __, until) => pause(Math.min(10_000, until - performance.now())),
};

export const misdeedNames: readonly string[] = Object.keys(misdeeds);

/** Reads replies unless not reading is the misbehaviour. */
export async function brokenClient(
  target: Target,
  first: number,
  until: number,
  heard: (status: number) => void,
): Promise<void> {
  const all = Object.values(misdeeds);
  for (let turn = first; performance.now() < until; turn++) {
    const socket = connect(target.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => {
      const [, status] = /^HTTP\/1\.1 (\d+)/u.exec(piece.toString("latin1")) ?? [];
      if (status !== undefined) heard(Number(status));
    });
    const closed = once(socket, "close").catch(() => undefined);
    await Promise.race([once(socket, "connect").catch(() => undefined), closed]);
    await (all[turn % all.length] as Misdeed)(socket, target, until);
    await Promise.race([closed, pause(randomInt(500))]);
    socket.resetAndDestroy();
    await pause(randomInt(500));
  }
}
