// Stands between a bench and an OpenAI-compatible server and counts what the server says was used, to compare with the bench's own
// records. `npx tsx bench/src/count-proxy.ts PORT SERVER_PORT`; GET /totals gives the counts so far.
import { createServer, request, type IncomingMessage } from "node:http";

const [port, target] = process.argv.slice(2).map(Number);
if (!port || !target) throw new Error("count-proxy.ts PORT SERVER_PORT");

const totals = { calls: 0, promptTokens: 0, completionTokens: 0, failed: 0 };

createServer((incoming, outgoing) => {
  if (incoming.url === "/totals") {
    outgoing.end(JSON.stringify(totals));
    return;
  }
  const { url, method, headers } = incoming;
  const onward = request({ host: "127.0.0.1", port: target, path: url, method, headers }, (reply) => {
    void bytesOf(reply).then((body) => {
      count(reply.statusCode ?? 0, body);
      const { "transfer-encoding": _, ...kept } = reply.headers;
      outgoing.writeHead(reply.statusCode ?? 502, { ...kept, "content-length": body.length }).end(body);
    });
  });
  onward.on("error", (error) => outgoing.writeHead(502).end(String(error)));
  incoming.pipe(onward);
}).listen(port, "127.0.0.1");

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function count(status: number, body: Buffer): void {
  try {
    const { usage } = JSON.parse(body.toString()) as { usage?: { prompt_tokens: number; completion_tokens: number } };
    if (status !== 200 || !usage) throw new Error("no completion");
    totals.calls++;
    totals.promptTokens += usage.prompt_tokens;
    totals.completionTokens += usage.completion_tokens;
  } catch {
    totals.failed++;
  }
}
