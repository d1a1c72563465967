import type { Server } from "node:http";
import { LaconicError } from "@laconic/core";

/** @throws LaconicError `config_invalid` when the address cannot be listened on, with the system's code */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((done, fail) => {
      server.once("error", fail);
      server.listen(port, host, done);
    });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: "the port is in use; choose another with --port, or 0 for a free one",
      EACCES: "this user may not listen on the port; choose one from 1024 with --port",
      EADDRNOTAVAIL: "the address is not this machine's; choose another with --host",
      ENOTFOUND: "nobody knows this name; choose another with --host",
    };
    throw new LaconicError(
      "config_invalid",
      `cannot listen on ${host}:${port}: ${reasons[code] ?? message}`,
      { host, port, code },
      error,
    );
  }
}

/** Where a server listens. */
export function boundPort(server: Server, port: number): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
