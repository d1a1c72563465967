import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { thrownText } from "@laconic/core";
import { boundPort, closeServer, isLoopback, listen } from "@laconic/serve/server";
import { createViewServer, openViewer } from "@laconic/view";
import type { Terminal } from "../cli/terminal.ts";
import { runTokenizers } from "@laconic/runtime/run-tokenizers";

/** Which folders are shown, and where. */
export interface ViewServerOptions {
  readonly folders: readonly string[];
  /** Folders that are not there yet are waited for. */
  readonly mayCome?: boolean;
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Names that browsers may call the server by, beside the host. */
  readonly names?: readonly string[];
  /** Of the address that is printed. */
  readonly page?: string;
}

/** A dashboard that listens. */
export interface ViewServer {
  /** With the token, where one is needed. */
  readonly url: string;
  close(): Promise<void>;
}

/** Streams end at once; an answer in the making takes no longer. */
const graceMs = 500;

/**
 * Serves the dashboard. From this machine nobody is asked for anything; where it can be reached from elsewhere, for a token that stands in
 * the address.
 * @throws LaconicError `config_invalid` for a folder that is not there, or an address that cannot be listened on
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
    note: (text) => terminal.note(text),
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
  const [path = "", ...place] = page.split("#");
  return {
    url: [`${address}${path}${token === null ? "" : `?token=${token}`}`, ...place].join("#"),
    async close() {
      await Promise.all([viewer.close(), closeServer(server, graceMs)]);
    },
  };
}

/** A host as an address has it; of all that this machine has, the first that others reach it by. */
function named(host: string): string {
  const isEvery = host === "0.0.0.0" || host === "::";
  const reached = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.internal === false && each.family === "IPv4")?.address;
  const name = isEvery ? (reached ?? "localhost") : host;
  return name.includes(":") ? `[${name}]` : name;
}
