import { inputError, LaconicError } from "@laconic/core";
import type { DrawnListener } from "../../generation/draw.ts";
import { movedBuffers, reviveError } from "./protocol.ts";
import type { EngineHost, HostCall, HostPort, HostReply, HostSetup } from "./protocol.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onDrawn: DrawnListener | undefined;
}

/** Replica on another thread. If it dies, every call rejects with `engine_failed`. */
export function hostOver(port: HostPort): EngineHost {
  const pending = new Map<number, Pending>();
  let nextId = 0;
  let failure: LaconicError | null = null;
  let closed: Promise<void> | null = null;
  const settle = (id: number): Pending | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) port.wait(false);
    return call;
  };
  port.onMessage((reply: HostReply) => {
    if ("drawn" in reply) pending.get(reply.id)?.onDrawn?.(reply.drawn);
    else if ("error" in reply) settle(reply.id)?.reject(reviveError(reply.error));
    else settle(reply.id)?.resolve(reply.value);
  });
  port.onFailure((error) => {
    failure ??= error;
    for (const id of Array.from(pending.keys())) settle(id)?.reject(failure);
  });
  const remote =
    (method: HostCall["method"]) =>
    (...args: readonly unknown[]): Promise<never> => {
      if (failure) return Promise.reject(failure);
      const id = nextId++;
      return new Promise((resolve, reject) => {
        const onDrawn = args.find((arg) => typeof arg === "function") as DrawnListener | undefined;
        pending.set(id, { resolve, reject, onDrawn });
        port.wait(true);
        try {
          const plain = args.map((arg) => (typeof arg === "function" ? true : arg));
          port.post({ id, method, args: plain } satisfies HostCall, movedBuffers(args));
        } catch (error) {
          const message = `${method}: an argument cannot be sent to a thread: ${String(error)}`;
          settle(id)?.reject(inputError(message, {}, error));
        }
      });
    };
  const close = async (): Promise<void> => {
    if (!failure) {
      const done = remote("close")();
      failure = new LaconicError("engine_failed", "the engine was closed");
      await done;
    }
    await port.close();
  };
  return {
    describe: remote("describe"),
    create: remote("create"),
    call: remote("call"),
    sumGradients: remote("sumGradients"),
    disposeModel: remote("disposeModel"),
    memory: remote("memory"),
    close: () => (closed ??= close()),
  };
}

/** Used members of a browser's `Worker`. */
export interface WebWorker {
  addEventListener(
    kind: string,
    listener: (event: { readonly data?: unknown; readonly message?: string }) => void,
  ): void;
  postMessage(message: unknown, move: ArrayBuffer[]): void;
  terminate(): void;
}

/** Port to an engine in a Web Worker. The first message is the setup. */
export function webWorkerPort(worker: WebWorker, setup: HostSetup): HostPort {
  worker.postMessage(setup, []);
  return {
    post: (message, move) => worker.postMessage(message, [...move]),
    onMessage: (listener) => worker.addEventListener("message", ({ data }) => listener(data as never)),
    onFailure(listener) {
      const failed = (what: string): void => listener(new LaconicError("engine_failed", what));
      worker.addEventListener("error", ({ message }) =>
        failed(`the engine's worker stopped: ${message ?? "failed to load its file"}`),
      );
      worker.addEventListener("messageerror", () => failed("a message of the engine's worker cannot be read"));
    },
    wait: () => undefined,
    close: async () => worker.terminate(),
  };
}
