import { LaconicError } from "@laconic/core";

export function settingError(
  key: string,
  reason: string,
  detail: Readonly<Record<string, string | number>> = {},
): LaconicError {
  return new LaconicError("config_invalid", `${key}: ${reason}`, { key, ...detail });
}
