import { homedir } from "node:os";
import { join } from "node:path";

/** What the environment says about the hub, for `openSnapshot({ ...hubEnvironment(process.env), repo })`. */
export interface HubEnvironment {
  readonly cacheFolder: string;
  readonly offline: boolean;
  readonly endpoint?: string;
  readonly token?: string;
}

/**
 * Reads the variables that Python's `huggingface_hub` reads: `HF_HUB_CACHE`, `HUGGINGFACE_HUB_CACHE`, `HF_HOME` and
 * `XDG_CACHE_HOME` for the cache, `HF_HUB_OFFLINE` and `TRANSFORMERS_OFFLINE`, `HF_ENDPOINT`, `HF_TOKEN`.
 */
export function hubEnvironment(variables: Readonly<Record<string, string | undefined>>): HubEnvironment {
  const { HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, HF_ENDPOINT, HF_TOKEN } = variables;
  const home = HF_HOME ?? join(XDG_CACHE_HOME ?? join(homedir(), ".cache"), "huggingface");
  const offline = (variables["HF_HUB_OFFLINE"] || variables["TRANSFORMERS_OFFLINE"]) ?? "";
  return {
    cacheFolder: HF_HUB_CACHE ?? HUGGINGFACE_HUB_CACHE ?? join(home, "hub"),
    offline: ["1", "on", "yes", "true"].includes(offline.toLowerCase()),
    ...(HF_ENDPOINT && { endpoint: HF_ENDPOINT }),
    ...(HF_TOKEN && { token: HF_TOKEN }),
  };
}
