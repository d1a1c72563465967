import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import type { CreateKernels } from "../kernels/index.ts";
import type { TokensListener } from "../generation/generate.ts";
import type { EngineHost } from "./engine-host.ts";
import { InlineHost } from "./inline-host.ts";
import { movedBuffers, storeError, type HostCall, type WorkerSetup } from "./protocol.ts";

/** Serves host calls one after the other until the port closes. */
export async function serve(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error("worker-main runs in a worker thread only");
  const opened = openHost(workerData as WorkerSetup);
  opened.catch(() => undefined); // each call reports it
  let queue: Promise<void> = Promise.resolve();
  port.on("message", (call: HostCall) => {
    queue = queue.then(() => answer(port, opened, call));
  });
}

async function openHost({ device, recompute }: WorkerSetup): Promise<EngineHost> {
  const { createKernels } = (await import(device.module)) as { createKernels: CreateKernels };
  return new InlineHost(await createKernels(device.options), recompute);
}

async function answer(port: MessagePort, opened: Promise<EngineHost>, { id, method, args }: HostCall): Promise<void> {
  try {
    const host = await opened;
    // Method and arguments belong together, which the compiler does not follow through a union.
    const call = host[method] as (...args: readonly unknown[]) => Promise<unknown>;
    const listens = method === "sample" && (args[3] as unknown) === true;
    const onTokens: TokensListener = (tokens) => port.postMessage({ id, tokens });
    const value = await call.apply(
      host,
      method === "sample" ? [...args.slice(0, 3), listens ? onTokens : undefined] : args,
    );
    port.postMessage({ id, value }, movedBuffers(Object.values(value ?? {})));
  } catch (error) {
    port.postMessage({ id, error: storeError(error) });
  }
  if (method === "close") port.close();
}
