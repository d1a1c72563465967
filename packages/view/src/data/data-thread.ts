import { Worker } from "node:worker_threads";
import { LaconicError } from "@laconic/core";
import { moduleBeside } from "@laconic/core/platform";
import type { ViewEvent } from "../protocol.ts";
import { checkFolders } from "./find-folders.ts";
import type { ViewData } from "./view-data.ts";

/** What a thread reads. */
export interface ThreadSetup {
  readonly folders: readonly string[];
  readonly mayCome?: boolean;
  readonly maxBytes?: number;
}

type Method = Exclude<keyof ViewData, "listen">;

export type ToThread =
  | { readonly kind: "ask"; readonly number: number; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly kind: "listen" }
  | { readonly kind: "silence" };

export type FromThread =
  | { readonly kind: "ready"; readonly refusal?: string }
  | { readonly kind: "answer"; readonly number: number; readonly value?: unknown; readonly error?: string }
  | { readonly kind: "event"; readonly event: ViewEvent }
  | { readonly kind: "failure"; readonly message: string };

interface Request {
  readonly message: ToThread;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Threads that ended while the request waited. */
  ends: number;
}

/** Threads in a row that end before their first answer: another one will not fare better. */
const maxFailedStarts = 3;

/**
 * `folderData` in a thread, so that a training in this process never waits for it. A thread that ends is replaced by another one.
 * @param onError - receives failures that no caller waits for
 * @param open - starts a thread
 * @throws LaconicError `config_invalid` for a missing folder
 */
export async function dataThread(
  setup: ThreadSetup,
  onError: (error: unknown) => void = () => undefined,
  open: (setup: ThreadSetup) => Worker = openThread,
): Promise<ViewData> {
  await checkFolders(setup);
  const reader = new ThreadReader(setup, onError, open);
  try {
    await reader.ask("size", []);
  } catch (error) {
    await reader.close();
    throw error;
  }
  const ask =
    (method: Method) =>
    (...args: readonly unknown[]): Promise<never> =>
      reader.ask(method, args) as Promise<never>;
  return {
    runs: ask("runs"),
    run: ask("run"),
    columns: ask("columns"),
    speech: ask("speech"),
    episodes: ask("episodes"),
    telling: ask("telling"),
    episode: ask("episode"),
    place: ask("place"),
    benches: ask("benches"),
    samples: ask("samples"),
    sample: ask("sample"),
    size: ask("size"),
    listen: (listener) => reader.listen(listener),
    close: () => reader.close(),
  };
}

export function openThread(setup: ThreadSetup): Worker {
  const entry = moduleBeside("./thread-main", import.meta.url).href;
  return new Worker(new URL("../../assets/data-thread.mjs", import.meta.url), {
    workerData: { ...setup, entry },
    execArgv: [],
    // Rows are garbage soon after they are read, so that a small nursery suffices.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 },
  });
}

/** Threads one after the other, and the requests that wait for their answers. */
class ThreadReader {
  readonly #setup: ThreadSetup;
  readonly #onError: (error: unknown) => void;
  readonly #open: (setup: ThreadSetup) => Worker;
  readonly #requests = new Map<number, Request>();
  readonly #listeners = new Set<(event: ViewEvent) => void>();
  #worker: Worker | null = null;
  #isReady = false;
  #isClosed = false;
  #count = 0;
  #failedStarts = 0;
  #failure: Error | null = null;

  constructor(setup: ThreadSetup, onError: (error: unknown) => void, open: (setup: ThreadSetup) => Worker) {
    [this.#setup, this.#onError, this.#open] = [setup, onError, open];
  }

  ask(method: Method, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const number = this.#count++;
      const message: ToThread = { kind: "ask", number, method, args };
      this.#requests.set(number, { message, resolve, reject, ends: 0 });
      if (!this.#worker) this.#start();
      this.#worker?.ref(); // a request keeps the process alive
      if (this.#isReady) this.#post(message);
    });
  }

  listen(listener: (event: ViewEvent) => void): () => void {
    if (this.#listeners.size === 0 && this.#isReady) this.#post({ kind: "listen" });
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0 && this.#isReady)
        this.#post({ kind: "silence" });
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    if (!this.#failure && this.#isReady) await this.ask("close", []).catch(() => undefined);
    this.#isClosed = true;
    this.#fail(new Error("the dashboard is closed"));
    await this.#worker?.terminate();
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  #start(): void {
    const worker = this.#open(this.#setup);
    let cause: Error | null = null;
    worker.on("message", (message: FromThread) => this.#receive(message));
    worker.on("error", (error) => void (cause = error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", (code) => this.#ended(cause ?? new Error(`it ended with code ${code}`)));
    if (this.#requests.size === 0) worker.unref();
    this.#worker = worker;
  }

  #receive(message: FromThread): void {
    if (message.kind === "event") for (const listener of this.#listeners) listener(message.event);
    else if (message.kind === "failure") this.#onError(new Error(message.message));
    else if (message.kind === "ready") {
      if (message.refusal !== undefined) return this.#fail(new LaconicError("config_invalid", message.refusal));
      [this.#isReady, this.#failedStarts] = [true, 0];
      for (const request of this.#requests.values()) this.#post(request.message);
      if (this.#listeners.size > 0) this.#post({ kind: "listen" });
      // Changes between two threads are unknown.
      for (const listener of this.#listeners) listener({ type: "runs" });
    } else {
      const request = this.#requests.get(message.number);
      this.#requests.delete(message.number);
      if (message.error === undefined) request?.resolve(message.value);
      else request?.reject(new Error(message.error));
    }
    if (this.#requests.size === 0) this.#worker?.unref();
  }

  #ended(cause: Error): void {
    if (!this.#isReady) this.#failedStarts += 1;
    [this.#worker, this.#isReady] = [null, false];
    if (this.#isClosed || this.#failure) return;
    const failure = new Error(`the thread that reads run folders ended: ${cause.message}`);
    this.#onError(failure);
    if (this.#failedStarts >= maxFailedStarts) return this.#fail(failure);
    for (const [number, request] of this.#requests)
      if (++request.ends > 1) {
        this.#requests.delete(number);
        request.reject(failure);
      }
    if (this.#requests.size > 0 || this.#listeners.size > 0) this.#start();
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of this.#requests.values()) reject(this.#failure);
    this.#requests.clear();
  }
}
