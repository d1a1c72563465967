// Starts the worker named in the page's address and posts its messages.
interface PageWorker {
  postMessage(query: string): void;
  addEventListener(
    kind: string,
    listener: (event: { readonly data?: unknown; readonly message?: string }) => void,
  ): void;
}

declare const Worker: new (address: URL, options: { readonly type: "module" }) => PageWorker;
declare const location: { readonly search: string };

const query = new URLSearchParams(location.search);

/** Bundlers recognise workers by this exact form. */
const workers: Readonly<Record<string, () => PageWorker>> = {
  training: () => new Worker(new URL("./training-worker.ts", import.meta.url), { type: "module" }),
  inline: () => new Worker(new URL("./inline-worker.ts", import.meta.url), { type: "module" }),
  kernels: () => new Worker(new URL("./conformance-worker.ts", import.meta.url), { type: "module" }),
};

const post = (reply: unknown): void => void fetch("/said", { method: "POST", body: JSON.stringify(reply) });
const worker = (workers[query.get("worker") ?? ""] as () => PageWorker)();
worker.addEventListener("message", ({ data }) => post(data));
worker.addEventListener("error", ({ message }) => post({ error: message ?? "the worker cannot be loaded" }));
worker.postMessage(location.search);
