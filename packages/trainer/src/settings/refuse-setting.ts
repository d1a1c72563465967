import { LaconicError } from "@laconic/core";

/** @throws LaconicError `config_invalid` naming the key */
export function refuseSetting(key: string, reason: string): never {
  throw new LaconicError("config_invalid", `${key}: ${reason}`, { key });
}
