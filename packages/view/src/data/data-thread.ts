import { Worker } from "node:worker_threads";
import { LaconicError } from "@laconic/core";
import type { ViewEvent } from "../protocol.ts";
import { checkFolders } from "./folder-data.ts";
import type { ViewData } from "./view-data.ts";

/** What a thread begins with. */
export interface ThreadSetup {
  readonly folders: readonly string[];
  readonly mayCome?: boolean;
  readonly mostBytes?: number;
}

/** What can be asked of it. */
type Method = Exclude<keyof ViewData, "listen">;

export type ToThread =
  | { readonly kind: "ask"; readonly number: number; readonly method: Method; readonly words: readonly unknown[] }
  | { readonly kind: "listen" }
  | { readonly kind: "silence" };

export type FromThread =
  | { readonly kind: "ready"; readonly refusal?: string }
  | { readonly kind: "answer"; readonly number: number; readonly value?: unknown; readonly error?: string }
  | { readonly kind: "event"; readonly event: ViewEvent }
  | { readonly kind: "failure"; readonly message: string };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * `folderData` in a thread of its own: a training beside it, and answers that need no folder, never wait for it.
 * @param onError - hears failures of what nobody waits for
 * @throws LaconicError `config_invalid` for a folder that is not there
 */
export async function dataThread(
  setup: ThreadSetup,
  onError: (error: unknown) => void = () => undefined,
): Promise<ViewData> {
  await checkFolders(setup);
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = new URL(`./thread-main.${extension}`, import.meta.url).href;
  const worker = new Worker(new URL("../../assets/data-thread.mjs", import.meta.url), {
    workerData: { ...setup, entry },
    execArgv: [],
    // What is read is garbage a moment later: a small nursery keeps it small.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: ViewEvent) => void>();
  let [asked, failure]: [number, Error | null] = [0, null];
  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  const ready = new Promise<void>((resolve, reject) => {
    waiting.set(-1, { resolve: () => resolve(), reject });
  });
  worker.on("message", (message: FromThread) => {
    if (message.kind === "event") for (const listener of listeners) listener(message.event);
    else if (message.kind === "failure") onError(new Error(message.message));
    else {
      const number = message.kind === "ready" ? -1 : message.number;
      const { resolve, reject } = waiting.get(number) ?? {};
      waiting.delete(number);
      if (message.kind === "ready" && message.refusal !== undefined)
        reject?.(new LaconicError("config_invalid", message.refusal));
      else if (message.kind === "answer" && message.error !== undefined) reject?.(new Error(message.error));
      else resolve?.(message.kind === "answer" ? message.value : undefined);
    }
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", (error) => fail(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", (code) => fail(new Error(`the thread that reads run folders ended with code ${code}`)));
  const post = (message: ToThread): void => worker.postMessage(message);
  const ask = <T>(method: Method, ...words: readonly unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      const number = asked++;
      waiting.set(number, { resolve: resolve as (value: unknown) => void, reject });
      worker.ref(); // who waits keeps the process
      post({ kind: "ask", number, method, words });
    });
  worker.ref();
  try {
    await ready;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    runs: () => ask("runs"),
    run: (id) => ask("run", id),
    columns: (id, names, from) => ask("columns", id, names, from),
    speech: (id) => ask("speech", id),
    episodes: (id, query) => ask("episodes", id, query),
    episode: (id, key) => ask("episode", id, key),
    benches: () => ask("benches"),
    size: () => ask("size"),
    listen(listener) {
      if (listeners.size === 0) post({ kind: "listen" });
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) post({ kind: "silence" });
      };
    },
    async close() {
      listeners.clear();
      if (!failure) await ask("close").catch(() => undefined);
      await worker.terminate();
    },
  };
}
