import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatMessage } from "@laconic/core";

/** The usage that a server reported, by its own count. */
export interface Counted {
  calls: number;
  promptTokens: number;
  completionTokens: number;
  /** Replies that were no completion. */
  failed: number;
}

/** A chat as it came over the wire, and what it was answered. */
export interface ServedChat {
  readonly messages: readonly ChatMessage[];
  readonly reply: string;
  /** Null where the request named none. */
  readonly temperature: number | null;
}

/** Stands between a bench and an OpenAI-compatible server. */
export interface CountProxy {
  /** Requests to this address are counted under the tag. */
  addressOf(tag: string): string;
  countOf(tag: string): Counted;
  chatsOf(tag: string): readonly ServedChat[];
  close(): Promise<void>;
}

/** @param target - port of the server on this machine */
export async function countProxy(target: number): Promise<CountProxy> {
  const counts = new Map<string, Counted>();
  const chats = new Map<string, ServedChat[]>();
  const countOf = (tag: string): Counted => {
    const count = counts.get(tag) ?? { calls: 0, promptTokens: 0, completionTokens: 0, failed: 0 };
    counts.set(tag, count);
    return count;
  };
  const chatsOf = (tag: string): ServedChat[] => {
    const own = chats.get(tag) ?? [];
    chats.set(tag, own);
    return own;
  };
  const server = createServer((incoming, outgoing) => {
    const [, tag = "", path = ""] = /^\/([^/]*)(\/.*)$/u.exec(incoming.url ?? "") ?? [];
    const { method, headers } = incoming;
    const asked = bytesOf(incoming);
    const onward = request({ host: "127.0.0.1", port: target, path, method, headers }, (reply) => {
      void Promise.all([asked, bytesOf(reply)]).then(([question, body]) => {
        const name = decodeURIComponent(tag);
        add(countOf(name), reply.statusCode ?? 0, body);
        if (reply.statusCode === 200) chatsOf(name).push(...chatsIn(question, body));
        const { "transfer-encoding": _, ...kept } = reply.headers;
        outgoing.writeHead(reply.statusCode ?? 502, { ...kept, "content-length": body.length }).end(body);
      });
    });
    onward.on("error", (error) => outgoing.writeHead(502).end(String(error)));
    void asked.then((body) => onward.end(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    addressOf: (tag) => `http://127.0.0.1:${port}/${encodeURIComponent(tag)}/v1`,
    countOf,
    chatsOf,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** One for each of its replies. */
function chatsIn(question: Buffer, body: Buffer): ServedChat[] {
  const asked = JSON.parse(question.toString()) as { messages?: ChatMessage[]; temperature?: number };
  const { messages = [], temperature = null } = asked;
  const { choices = [] } = JSON.parse(body.toString()) as { choices?: { message: { content: string | null } }[] };
  return choices.map(({ message }) => ({ messages, reply: message.content ?? "", temperature }));
}

function add(count: Counted, status: number, body: Buffer): void {
  try {
    const { usage } = JSON.parse(body.toString()) as { usage?: { prompt_tokens: number; completion_tokens: number } };
    if (status !== 200 || !usage) throw new Error("no completion");
    count.calls++;
    count.promptTokens += usage.prompt_tokens;
    count.completionTokens += usage.completion_tokens;
  } catch {
    count.failed++;
  }
}
