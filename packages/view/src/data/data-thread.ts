import { Worker } from "node:worker_threads";
import { moduleBeside } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import type { ViewEvent } from "../protocol.ts";
import { checkFolders } from "./find-folders.ts";
import { ReadingMark } from "./reading-mark.ts";
import type { ViewData } from "./view-data.ts";

/** What a thread begins with. */
export interface ThreadSetup {
  readonly folders: readonly string[];
  readonly mayCome?: boolean;
  readonly maxBytes?: number;
}

/** What each thread begins with: the next one knows what ended the one before. */
export interface ThreadStart extends ThreadSetup {
  readonly mark: SharedArrayBuffer;
  readonly setAside: Readonly<Record<string, string>>;
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
  readonly message: ToThread;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Threads that ended meanwhile for no reason that is known. */
  ends: number;
}

/** Threads in a row that end before they can answer: another one will not fare better. */
const maxFailedStarts = 3;

/**
 * `folderData` in a thread of its own: a training beside it, and answers that need no folder, never wait for it. A thread that ends is
 * followed by another, which reads nothing of the run whose file ended it.
 * @param onError - hears failures of what nobody waits for
 * @param open - starts a thread
 * @throws LaconicError `config_invalid` for a folder that is not there
 */
export async function dataThread(
  setup: ThreadSetup,
  onError: (error: unknown) => void = () => undefined,
  open: (start: ThreadStart) => Worker = openThread,
): Promise<ViewData> {
  await checkFolders(setup);
  const reader = new ThreadReader(setup, onError, open);
  try {
    await reader.ready();
  } catch (error) {
    await reader.close();
    throw error;
  }
  const ask = <T>(method: Method, ...words: readonly unknown[]): Promise<T> => reader.ask(method, words) as Promise<T>;
  return {
    runs: () => ask("runs"),
    run: (id) => ask("run", id),
    columns: (id, names) => ask("columns", id, names),
    speech: (id) => ask("speech", id),
    episodes: (id, query) => ask("episodes", id, query),
    telling: (id) => ask("telling", id),
    episode: (id, key) => ask("episode", id, key),
    place: (id) => ask("place", id),
    benches: () => ask("benches"),
    samples: (id, query) => ask("samples", id, query),
    sample: (id, key) => ask("sample", id, key),
    size: () => ask("size"),
    listen: (listener) => reader.listen(listener),
    close: () => reader.close(),
  };
}

export function openThread(start: ThreadStart): Worker {
  const entry = moduleBeside("./thread-main", import.meta.url).href;
  return new Worker(new URL("../../assets/data-thread.mjs", import.meta.url), {
    workerData: { ...start, entry },
    execArgv: [],
    // What is read is garbage a moment later: a small nursery keeps it small.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 },
  });
}

/** Threads one after the other, and who waits for their answers. */
class ThreadReader {
  readonly #setup: ThreadSetup;
  readonly #onError: (error: unknown) => void;
  readonly #open: (start: ThreadStart) => Worker;
  readonly #mark = new ReadingMark();
  readonly #setAside: Record<string, string> = {};
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(event: ViewEvent) => void>();
  #worker: Worker | null = null;
  #isReady = false;
  #isClosed = false;
  #asked = 0;
  #failedStarts = 0;
  #failure: Error | null = null;

  constructor(setup: ThreadSetup, onError: (error: unknown) => void, open: (start: ThreadStart) => Worker) {
    [this.#setup, this.#onError, this.#open] = [setup, onError, open];
    this.#start();
  }

  ready(): Promise<unknown> {
    return this.ask("size", []);
  }

  ask(method: Method, words: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const number = this.#asked++;
      const message: ToThread = { kind: "ask", number, method, words };
      this.#waiting.set(number, { message, resolve, reject, ends: 0 });
      if (!this.#worker) this.#start();
      this.#worker?.ref(); // who waits keeps the process
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
    const worker = this.#open({ ...this.#setup, mark: this.#mark.buffer, setAside: this.#setAside });
    let cause: Error | null = null;
    worker.on("message", (message: FromThread) => this.#hear(message));
    worker.on("error", (error) => void (cause = error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", (code) => this.#ended(cause ?? new Error(`it ended with code ${code}`)));
    if (this.#waiting.size === 0) worker.unref();
    this.#worker = worker;
  }

  #hear(message: FromThread): void {
    if (message.kind === "event") for (const listener of this.#listeners) listener(message.event);
    else if (message.kind === "failure") this.#onError(new Error(message.message));
    else if (message.kind === "ready") {
      if (message.refusal !== undefined) return this.#fail(new LaconicError("config_invalid", message.refusal));
      [this.#isReady, this.#failedStarts] = [true, 0];
      for (const each of this.#waiting.values()) this.#post(each.message);
      if (this.#listeners.size > 0) this.#post({ kind: "listen" });
      // What changed while nothing was read is not known.
      for (const listener of this.#listeners) listener({ type: "runs" });
    } else {
      const { resolve, reject } = this.#waiting.get(message.number) ?? {};
      this.#waiting.delete(message.number);
      if (message.error === undefined) resolve?.(message.value);
      else reject?.(new Error(message.error));
    }
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  /** A thread is over: the next one reads what this one did not fail at. */
  #ended(cause: Error): void {
    if (!this.#isReady) this.#failedStarts += 1;
    [this.#worker, this.#isReady] = [null, false];
    if (this.#isClosed || this.#failure) return;
    const read = this.#mark.read();
    this.#mark.clear();
    if (read)
      this.#setAside[read.id] = `${read.file} could not be read: the thread that read it ended (${cause.message})`;
    const failure = new Error(
      `the thread that reads run folders ended: ${read ? `${read.file}: ` : ""}${cause.message}`,
    );
    this.#onError(failure);
    if (!read && this.#failedStarts >= maxFailedStarts) return this.#fail(failure);
    for (const [number, each] of this.#waiting)
      if (!read && ++each.ends > 1) {
        this.#waiting.delete(number);
        each.reject(failure);
      }
    if (this.#waiting.size > 0 || this.#listeners.size > 0) this.#start();
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
