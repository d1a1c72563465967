import { configError } from "@laconic/core";
import { isLoopback } from "@laconic/serve/server";

/** @throws LaconicError `config_invalid` for an unset variable: serving without the key would be worse */
export function keyFrom(variable: string | undefined): string | null {
  if (variable === undefined) return null;
  const key = process.env[variable];
  if (key) return key;
  throw configError(`--api-key-env names ${variable}, which is not set`, { key: "api-key-env" });
}

/** @throws LaconicError `config_invalid` for an address reachable from other machines without a key */
export function checkHost(host: string, apiKey: string | null): void {
  if (apiKey !== null || isLoopback(host)) return;
  throw configError(`--host ${host}: other machines can reach it; set a key with --api-key-env`, { key: "host" });
}
