import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { passRequest } from "./protobuf-server.ts";
import { createTinkerService, type TinkerServerOptions, type TinkerService } from "./tinker-service.ts";

/** Server of the Tinker protocol on a free local port. */
export interface TinkerServer extends Pick<TinkerService, "log" | "forget"> {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves {@link createTinkerService} over HTTP. */
export async function startTinkerServer(options: TinkerServerOptions): Promise<TinkerServer> {
  const service = createTinkerService(options);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, url = "" } = request;
    const asked = requestOf(/^\/api\/v1\/(\w+)$/u.exec(url)?.[1] ?? "", await buffer(request), headers["content-type"]);
    const answer = await service.answer({ ...asked, accept: headers.accept ?? null });
    if (answer === null) return void response.destroy();
    const { status, value } = answer;
    const isBinary = value instanceof Uint8Array;
    response.writeHead(status, { "content-type": isBinary ? protobuf : "application/json" });
    response.end(isBinary || typeof value === "string" ? value : JSON.stringify(value));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: service.log,
    forget: () => service.forget(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const protobuf = "application/x-protobuf";

function requestOf(path: string, bytes: Buffer, contentType: string | undefined): { path: string; body: unknown } {
  if (contentType === protobuf) return passRequest(bytes);
  return { path, body: bytes.length === 0 ? null : JSON.parse(bytes.toString()) };
}
