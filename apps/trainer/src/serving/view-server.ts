import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { thrownText } from "@laconic/core";
import { isLoopback } from "@laconic/core/wire";
import { boundPort, closeServer, listen } from "@laconic/serve/server";
import { createViewServer, openViewer } from "@laconic/view";
import type { Terminal } from "../cli/terminal.ts";
import { runTokenizers } from "@laconic/runtime/run-tokenizers";

export interface ViewServerOptions {
  readonly folders: readonly string[];
  /** Waits for missing folders. */
  readonly mayCome?: boolean;
  readonly host?: string;
  /** 0 for a free port. */
  readonly port?: number;
  /** Other names of the server for browsers. */
  readonly names?: readonly string[];
  readonly page?: string;
}

export interface ViewServer {
  /** Includes the token, if needed. */
  readonly url: string;
  close(): Promise<void>;
}

/** Max wait for responses; streams end immediately. */
const graceMs = 500;

/**
 * Serves the dashboard. Other machines need a token in the address.
 * @throws LaconicError `config_invalid` for a missing folder or an unusable address
 */
export async function startViewServer(options: ViewServerOptions, terminal: Terminal): Promise<ViewServer> {
  const { folders, mayCome = false, host = "127.0.0.1", port = 0, names = [], page = "" } = options;
  const token = isLoopback(host) ? null : randomBytes(24).toString("base64url");
  const onError = (error: unknown): void => terminal.note(`error: view: ${thrownText(error)}`);
  const viewer = await openViewer({
    folders,
    mayCome,
    token,
    onError,
    hosts: [host, ...names],
    note: terminal.note,
    tokenizerOf: runTokenizers(terminal),
  });
  const server = createViewServer(viewer, onError);
  try {
    await listen(server, port, host);
  } catch (error) {
    await viewer.close();
    throw error;
  }
  const address = `http://${named(host)}:${boundPort(server, port)}/`;
  const [path = "", ...location] = page.split("#");
  return {
    url: [`${address}${path}${token === null ? "" : `?token=${token}`}`, ...location].join("#"),
    async close() {
      await Promise.all([viewer.close(), closeServer(server, graceMs)]);
    },
  };
}

/** Host for the address; for all interfaces, the first external one. */
function named(host: string): string {
  const isEvery = host === "0.0.0.0" || host === "::";
  const reached = Object.values(networkInterfaces())
    .flat()
    .find((item) => item?.internal === false && item.family === "IPv4")?.address;
  const name = isEvery ? (reached ?? "localhost") : host;
  return name.includes(":") ? `[${name}]` : name;
}
