import { LaconicError } from "@laconic/core";
import type { HostPort, HostSetup, ServingPort } from "./protocol.ts";

interface Listening {
  addEventListener(
    kind: string,
    listener: (event: { readonly data?: unknown; readonly message?: string }) => void,
  ): void;
}

/** Used members of a browser's `Worker`. */
export interface WebWorker extends Listening {
  postMessage(message: unknown, move: ArrayBuffer[]): void;
  terminate(): void;
}

/** Used members of a worker's global scope. */
export interface WebWorkerScope extends Listening {
  postMessage(message: unknown, move: ArrayBuffer[]): void;
  close(): void;
}

/** First message, because Web Workers cannot be started with data. */
export interface FirstMessage {
  readonly setup: HostSetup;
}

/** Port to an engine in a Web Worker. */
export function webWorkerPort(worker: WebWorker, setup: HostSetup): HostPort {
  const first: FirstMessage = { setup };
  worker.postMessage(first, []);
  return {
    post: (message, move) => worker.postMessage(message, [...move]),
    onMessage: (listener) => worker.addEventListener("message", ({ data }) => listener(data as never)),
    onFailure(listener) {
      const failed = (what: string): void => listener(new LaconicError("engine_failed", what));
      worker.addEventListener("error", ({ message }) =>
        failed(`the engine's worker stopped: ${message ?? "its file cannot be loaded"}`),
      );
      worker.addEventListener("messageerror", () => failed("a message of the engine's worker cannot be read"));
    },
    wait: () => undefined,
    close: async () => worker.terminate(),
  };
}

/** @param onSetup - receives the first message; listeners receive later ones */
export function webWorkerScopePort(scope: WebWorkerScope, onSetup: (setup: HostSetup) => void): ServingPort {
  const listeners: ((message: never) => void)[] = [];
  let isSetUp = false;
  scope.addEventListener("message", ({ data }) => {
    if (isSetUp) return listeners.forEach((listener) => listener(data as never));
    isSetUp = true;
    onSetup((data as FirstMessage).setup);
  });
  return {
    post: (message, move) => scope.postMessage(message, [...move]),
    onMessage: (listener) => void listeners.push(listener),
    close: () => scope.close(),
  };
}
