import { isLoopback } from "@laconic/core/wire";
import { flagError } from "../cli/arguments.ts";

/** @throws LaconicError `config_invalid` for an unset variable: serving without the key would be worse */
export function keyFrom(variable: string | undefined): string | null {
  if (variable === undefined) return null;
  const key = process.env[variable];
  if (key) return key;
  throw flagError("api-key-env", `names ${variable}, which is not set`);
}

/** @throws LaconicError `config_invalid` for an address reachable from other machines without a key */
export function checkHost(host: string, apiKey: string | null): void {
  if (apiKey !== null || isLoopback(host)) return;
  throw flagError("host", `other machines can reach ${host}; set a key with --api-key-env`);
}
