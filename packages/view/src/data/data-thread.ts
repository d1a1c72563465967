import { parentPort, Worker, workerData } from "node:worker_threads";
import { thrownText } from "@laconic/core";
import type { ViewEvent } from "../protocol.ts";
import type { ViewData } from "../requests.ts";
import { checkFolders } from "../runs/find-folders.ts";
import { dataMethods, folderData } from "./folder-data.ts";

export interface ThreadSetup {
  readonly folders: readonly string[];
  readonly mayCome?: boolean;
}

type ToThread =
  | { readonly kind: "call"; readonly number: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: "listen"; readonly isOn: boolean };

type FromThread =
  | { readonly kind: "answer"; readonly number: number; readonly value?: unknown; readonly error?: string }
  | { readonly kind: "event"; readonly event: ViewEvent }
  | { readonly kind: "failure"; readonly message: string };

interface Call {
  readonly message: ToThread;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  ends: number;
}

/** Consecutive threads that ended before their first message. */
const maxFailedStarts = 3;

/**
 * Runs `folderData` in a thread, so that it never blocks a training in this process. Restarts a thread that ends.
 * @param onError - receives failures outside of calls
 * @throws LaconicError `config_invalid` for a missing folder
 */
export async function dataThread(
  setup: ThreadSetup,
  onError: (error: unknown) => void = () => undefined,
  open: (setup: ThreadSetup) => Worker = openThread,
): Promise<ViewData> {
  if (!setup.mayCome) await checkFolders(setup.folders);
  const threads = new ReaderThreads(() => open(setup), onError);
  const ask = dataMethods.map((method) => [method, (...args: readonly unknown[]) => threads.call(method, args)]);
  const data = {
    ...(Object.fromEntries(ask) as Omit<ViewData, "listen">),
    listen: (listener: (event: ViewEvent) => void) => threads.listen(listener),
    close: () => threads.close(),
  };
  try {
    await data.size();
    return data;
  } catch (error) {
    await data.close();
    throw error;
  }
}

export function openThread(setup: ThreadSetup): Worker {
  return new Worker(new URL("../../assets/data-thread.mjs", import.meta.url), {
    workerData: { ...setup, entry: import.meta.url },
    execArgv: [],
    // Rows soon become garbage, so a small nursery suffices.
    resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 },
  });
}

/** Answers the main thread's calls in the worker. */
export async function serve(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error("serve runs in a thread only");
  const post = (message: FromThread): void => port.postMessage(message);
  const { folders } = workerData as ThreadSetup;
  const onError = (error: unknown): void => post({ kind: "failure", message: thrownText(error) });
  // The main thread checked it; a vanished folder may return.
  const data = await folderData({ folders, mayCome: true, onError });
  let stop = (): void => undefined;
  port.on("message", (message: ToThread) => {
    if (message.kind === "listen") {
      stop();
      stop = message.isOn ? data.listen((event) => post({ kind: "event", event })) : () => undefined;
      return;
    }
    const { number, method, args } = message;
    const call = data[method as keyof ViewData] as (...args: readonly unknown[]) => Promise<unknown>;
    // Also reports values that cannot be posted.
    call
      .apply(data, args as unknown[])
      .then((value) => post({ kind: "answer", number, value }))
      .catch((error: unknown) => post({ kind: "answer", number, error: thrownText(error) }));
  });
}

class ReaderThreads {
  readonly #open: () => Worker;
  readonly #onError: (error: unknown) => void;
  readonly #calls = new Map<number, Call>();
  readonly #listeners = new Set<(event: ViewEvent) => void>();
  #worker: Worker | null = null;
  #count = 0;
  #failedStarts = 0;
  #failure: Error | null = null;

  constructor(open: () => Worker, onError: (error: unknown) => void) {
    [this.#open, this.#onError] = [open, onError];
  }

  call(method: string, args: readonly unknown[]): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      const message: ToThread = { kind: "call", number: this.#count++, method, args };
      this.#calls.set(message.number, { message, resolve, reject, ends: 0 });
      if (!this.#worker) return this.#start();
      this.#worker.ref();
      this.#worker.postMessage(message);
    });
  }

  listen(listener: (event: ViewEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#tellListening();
    return () => {
      this.#listeners.delete(listener);
      this.#tellListening();
    };
  }

  #tellListening(): void {
    this.#worker?.postMessage({ kind: "listen", isOn: this.#listeners.size > 0 } satisfies ToThread);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    if (this.#worker && !this.#failure) await this.call("close", []).catch(() => undefined);
    this.#fail(new Error("the dashboard is closed"));
    await this.#worker?.terminate();
  }

  #start(): void {
    const worker = this.#open();
    let cause: Error | null = null;
    worker.on("message", (message: FromThread) => this.#receive(message));
    worker.on("error", (error) => void (cause = error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", (code) => this.#ended(cause ?? new Error(`it ended with code ${code}`)));
    this.#worker = worker;
    this.#failedStarts += 1;
    if (this.#calls.size === 0) worker.unref();
    for (const { message } of this.#calls.values()) worker.postMessage(message);
    if (this.#listeners.size > 0) this.#tellListening();
  }

  #receive(message: FromThread): void {
    this.#failedStarts = 0;
    if (message.kind === "event") for (const listener of this.#listeners) listener(message.event);
    else if (message.kind === "failure") this.#onError(new Error(message.message));
    else {
      const call = this.#calls.get(message.number);
      this.#calls.delete(message.number);
      if (message.error === undefined) call?.resolve(message.value as never);
      else call?.reject(new Error(message.error));
    }
    if (this.#calls.size === 0) this.#worker?.unref();
  }

  #ended(cause: Error): void {
    this.#worker = null;
    if (this.#failure) return;
    const failure = new Error(`the thread that reads run folders ended: ${cause.message}`);
    this.#onError(failure);
    if (this.#failedStarts >= maxFailedStarts) return this.#fail(failure);
    for (const [number, call] of this.#calls)
      if (++call.ends > 1) {
        this.#calls.delete(number);
        call.reject(failure);
      }
    if (this.#calls.size > 0 || this.#listeners.size > 0) this.#start();
    // Changes may have been missed between the threads.
    for (const listener of this.#listeners) listener({ type: "runs" });
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of this.#calls.values()) reject(this.#failure);
    this.#calls.clear();
  }
}
