import type { Server } from "node:http";
import { LaconicError } from "@laconic/core";
import { isLoopback } from "@laconic/serve";

/** @throws LaconicError `config_invalid` when the variable is not set: serving without the key would be worse. */
export function keyFrom(variable: string | undefined): string | null {
  if (variable === undefined) return null;
  const key = process.env[variable];
  if (key) return key;
  throw new LaconicError("config_invalid", `--api-key-env names ${variable}, which is not set`, { key: "api-key-env" });
}

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

/** @throws LaconicError `config_invalid` for an address that can be reached from elsewhere, without a key */
export function checkHost(host: string, apiKey: string | null): void {
  if (apiKey !== null || isLoopback(host)) return;
  throw new LaconicError(
    "config_invalid",
    `--host ${host} can be reached from elsewhere; name a key with --api-key-env first`,
    { key: "host" },
  );
}
