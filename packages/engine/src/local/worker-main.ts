import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import type { CreateKernels } from "@laconic/kernels";
import type { DrawnListener } from "../generation/drawn-tokens.ts";
import { CallOrder } from "./call-order.ts";
import type { EngineHost } from "./engine-host.ts";
import { InlineHost } from "./inline-host.ts";
import { movedBuffers, storeError, type HostCall, type WorkerSetup } from "./protocol.ts";

/** Serves host calls until the port closes: in their order, samples together, and cancellations at once. */
export async function serve(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error("worker-main runs in a worker thread only");
  const opened = openHost(workerData as WorkerSetup);
  opened.catch(() => undefined); // each call reports it
  const order = new CallOrder();
  port.on("message", (call: HostCall) => {
    const task = (): Promise<void> => answer(port, opened, call);
    if (call.method === "cancel") void task();
    else if (call.method === "sample") void order.together(task);
    else void order.alone(task);
  });
}

async function openHost({ device, recompute, limits }: WorkerSetup): Promise<EngineHost> {
  const { createKernels } = (await import(device.module)) as { createKernels: CreateKernels };
  return new InlineHost(await createKernels(device.options), recompute, limits);
}

async function answer(port: MessagePort, opened: Promise<EngineHost>, { id, method, args }: HostCall): Promise<void> {
  try {
    const host = await opened;
    // Method and arguments belong together, which the compiler does not follow through a union.
    const call = host[method] as (...args: readonly unknown[]) => Promise<unknown>;
    const listens = method === "sample" && (args[4] as unknown) === true;
    const onDrawn: DrawnListener = (drawn) => port.postMessage({ id, drawn });
    const value = await call.apply(
      host,
      method === "sample" ? [...args.slice(0, 4), listens ? onDrawn : undefined] : args,
    );
    port.postMessage({ id, value }, movedBuffers(Object.values(value ?? {})));
  } catch (error) {
    port.postMessage({ id, error: storeError(error) });
  }
  if (method === "close") port.close();
}
