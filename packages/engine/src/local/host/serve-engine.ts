import { LaconicError } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import { defaultFiles } from "#platform";
import type { DrawnListener } from "../../generation/draw.ts";
import type { CreateKernels } from "../../kernels/index.ts";
import { CallOrder } from "../replicas/call-order.ts";
import { InlineHost } from "./inline-host.ts";
import { movedBuffers, storeError } from "./protocol.ts";
import type { EngineHost, HostCall, HostSetup, ServingPort } from "./protocol.ts";
import type { WebWorker } from "./worker-host.ts";

export interface WebWorkerScope extends Pick<WebWorker, "addEventListener" | "postMessage"> {
  close(): void;
}

/** Options of `serveEngine`. */
export interface ServeEngineOptions {
  /** Loaders by device name. */
  readonly kernels: Readonly<Record<string, CreateKernels>>;
  /** Storage of models, private to this worker. */
  readonly files?: ModelFiles;
}

/**
 * Serves an engine in a Web Worker whose file calls it.
 * @param scope - default: the worker's
 */
export function serveEngine(
  { kernels, files = defaultFiles }: ServeEngineOptions,
  scope: WebWorkerScope = globalThis as unknown as WebWorkerScope,
): void {
  const open = async ({ device: { device, options }, place, ...settings }: HostSetup): Promise<EngineHost> => {
    const create = Object.hasOwn(kernels, device) ? kernels[device] : undefined;
    if (!create)
      throw new LaconicError(
        "device_unavailable",
        `this worker has no kernels for ${device}; available: ${Object.keys(kernels).join(", ") || "none"}`,
        { device },
      );
    return new InlineHost(await create(options, place), { ...settings, files });
  };
  const listeners: ((message: never) => void)[] = [];
  const port: ServingPort = {
    post: (message, move) => scope.postMessage(message, [...move]),
    onMessage: (listener) => void listeners.push(listener),
    close: () => scope.close(),
  };
  let isSetUp = false;
  scope.addEventListener("message", ({ data }) => {
    if (isSetUp) return listeners.forEach((listener) => listener(data as never));
    isSetUp = true;
    serveHost(port, open(data as HostSetup));
  });
}

/** Serves host calls in order, except `sample`, `cancel` and `memory`. */
export function serveHost(port: ServingPort, opened: Promise<EngineHost>): void {
  opened.catch(() => undefined); // each call reports the error
  const order = new CallOrder();
  port.onMessage((call: HostCall) => {
    const task = (): Promise<void> => answer(port, opened, call);
    const modelMethod = call.method === "call" ? call.args[1] : null;
    if (modelMethod === "cancel" || call.method === "memory") void task();
    else if (modelMethod === "sample") void order.together(task);
    else void order.alone(task);
  });
}

async function answer(port: ServingPort, opened: Promise<EngineHost>, { id, method, args }: HostCall): Promise<void> {
  try {
    const host = await opened;
    const onDrawn: DrawnListener = (drawn) => port.post({ id, drawn }, []);
    const call = host[method] as (...args: unknown[]) => Promise<unknown>;
    const value = await call.apply(
      host,
      method === "call" ? args.map((arg) => (arg === true ? onDrawn : arg)) : [...args],
    );
    port.post({ id, value }, movedBuffers(Object.values(value ?? {})));
  } catch (error) {
    port.post({ id, error: storeError(error) }, []);
  }
  if (method === "close") port.close();
}
