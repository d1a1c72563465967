import { readFile } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { fusedFile } from "../fused-file.ts";

/** The fused kernels' binary. @throws LaconicError `config_invalid` on any option: there are none. */
export async function openBinaries(options: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>> {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the wasm kernels take no options, got "${unknown}"`, { key: unknown });
  return readFile(fusedFile);
}

/** Starts the backend. Its runtime adds process-wide handlers that rethrow; an engine leaves its host's error handling alone. */
export async function quietly<T>(start: () => Promise<T>): Promise<T> {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const listeners = (event: string): unknown[] => process.listeners(event as "uncaughtException");
  const before = new Set(events.flatMap(listeners));
  const started = await start();
  for (const event of events)
    for (const listener of listeners(event))
      if (!before.has(listener) && /throw (ex|reason)/.test(String(listener)))
        process.removeListener(event, listener as () => void);
  return started;
}
