import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Hub settings of the environment, for `openSnapshot({ ...hubEnvironment(process.env), repo })`. */
export interface HubEnvironment {
  readonly cacheFolder: string;
  readonly offline: boolean;
  readonly endpoint?: string;
  readonly token?: string;
}

/**
 * Reads the variables of Python's `huggingface_hub`: `HF_HUB_CACHE`, `HUGGINGFACE_HUB_CACHE`, `HF_HOME`,
 * `XDG_CACHE_HOME`, `HF_HUB_OFFLINE`, `TRANSFORMERS_OFFLINE`, `HF_ENDPOINT`, `HF_TOKEN`. Without a token,
 * `HF_TOKEN_PATH` or `$HF_HOME/token` is read, unless `HF_HUB_DISABLE_IMPLICIT_TOKEN` is set.
 * @param readText - returns a file's text, or null if unreadable
 */
export function hubEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  readText: (path: string) => string | null = textOf,
): HubEnvironment {
  const { HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, HF_ENDPOINT, HF_TOKEN } = variables;
  const home = HF_HOME ?? join(XDG_CACHE_HOME ?? join(homedir(), ".cache"), "huggingface");
  const offline = (variables["HF_HUB_OFFLINE"] || variables["TRANSFORMERS_OFFLINE"]) ?? "";
  const implicit = isOn(variables["HF_HUB_DISABLE_IMPLICIT_TOKEN"])
    ? null
    : readText(variables["HF_TOKEN_PATH"] ?? join(home, "token"));
  const token = HF_TOKEN || implicit?.trim();
  return {
    cacheFolder: HF_HUB_CACHE ?? HUGGINGFACE_HUB_CACHE ?? join(home, "hub"),
    offline: isOn(offline),
    ...(HF_ENDPOINT && { endpoint: HF_ENDPOINT }),
    ...(token && { token }),
  };
}

function isOn(value = ""): boolean {
  return ["1", "on", "yes", "true"].includes(value.toLowerCase());
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
