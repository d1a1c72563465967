import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ServerFault, ServerFaults } from "./faults.ts";
import { ServedWeights, type FakeServerOptions } from "./served-weights.ts";

/** Fake inference server on a free local port. */
export interface FakeServer {
  readonly url: string;
  readonly log: readonly { readonly path: string; readonly body: unknown }[];
  readonly names: readonly string[];
  readonly replies: number;
  readonly inFlight: number;
  faults: ServerFaults;
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly value: unknown;
}

export type Routes = (
  weights: ServedWeights,
  options: FakeServerOptions,
) => (path: string, body: Readonly<Record<string, unknown>>, fault: ServerFault | null) => Promise<Answer>;

export async function startFakeServer(options: FakeServerOptions, routes: Routes): Promise<FakeServer> {
  const weights = new ServedWeights(options);
  const answer = routes(weights, options);
  const log: { path: string; body: unknown }[] = [];
  let replies = 0;
  let inFlight = 0;
  let server: Server;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "";
    const body = JSON.parse((await text(request)) || "{}") as Record<string, unknown>;
    log.push({ path, body });
    const fault = fake.faults(path, body);
    if (fault?.kind === "waits") await fault.until;
    if (fault?.kind === "status") {
      if (fault.retryAfterSeconds !== undefined) response.setHeader("retry-after", String(fault.retryAfterSeconds));
      return send(response, fault.status, { error: { message: "a fault" } });
    }
    const { status, value } = await answer(path, body, fault);
    if (/completions|generate/u.test(path) && status === 200) replies += 1;
    if (fault?.kind === "dies") {
      const whole = JSON.stringify(value);
      response.writeHead(status, { "content-type": "application/json", "content-length": whole.length });
      response.write(whole.slice(0, whole.length / 2), () => response.destroy());
      return;
    }
    send(response, status, value);
  };
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((request, response) => {
        inFlight += 1;
        serve(request, response)
          .catch((error: unknown) => {
            if (!response.headersSent) send(response, 500, { error: { message: String(error) } });
            else response.destroy();
          })
          .finally(() => (inFlight -= 1));
      });
      server.listen(port, "127.0.0.1", resolve);
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server!.address() as AddressInfo;
  const fake: FakeServer = {
    url: `http://127.0.0.1:${port}`,
    log,
    get names() {
      return weights.names;
    },
    get replies() {
      return replies;
    },
    get inFlight() {
      return inFlight;
    },
    faults: () => null,
    kill: stop,
    async restart() {
      await weights.forget();
      await listen(port);
    },
    close: stop,
  };
  return fake;
}

/** Answer that the dialects share: health, version at its path, and the list of models; null for another path. */
export function sharedAnswer(
  path: string,
  versionPath: string,
  weights: ServedWeights,
  contextLength: number,
): Answer | null {
  if (path === "/health") return { status: 200, value: {} };
  if (path === versionPath) return { status: 200, value: { version: "fake" } };
  if (path !== "/v1/models") return null;
  const adapters = weights.names.map((id) => ({ id, object: "model", parent: "base" }));
  return { status: 200, value: { data: [{ id: "base", parent: null, max_model_len: contextLength }, ...adapters] } };
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
