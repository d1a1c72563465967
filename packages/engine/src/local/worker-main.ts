import { parentPort, workerData } from "node:worker_threads";
import type { CreateKernels } from "../kernels/index.ts";
import type { EngineHost } from "./engine-host.ts";
import { InlineHost } from "./inline-host.ts";
import { storeError, type HostCall, type HostReply, type WorkerSetup } from "./protocol.ts";

/** Serves host calls one after the other until the port closes. */
export async function serve(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error("worker-main runs in a worker thread only");
  const { device, recompute } = workerData as WorkerSetup;
  const opened = openHost(device.module, device.options, recompute);
  opened.catch(() => undefined); // each call reports it
  let queue: Promise<void> = Promise.resolve();
  port.on("message", (call: HostCall) => {
    queue = queue.then(async () => {
      port.postMessage(await answer(opened, call));
      if (call.method === "close") port.close();
    });
  });
}

async function openHost(
  module: string,
  options: WorkerSetup["device"]["options"],
  recompute: WorkerSetup["recompute"],
): Promise<EngineHost> {
  const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
  return new InlineHost(await createKernels(options), recompute);
}

async function answer(opened: Promise<EngineHost>, { id, method, args }: HostCall): Promise<HostReply> {
  try {
    const host = await opened;
    const call = host[method as keyof EngineHost] as (...args: unknown[]) => Promise<unknown>;
    return { id, value: await call.apply(host, [...args]) };
  } catch (error) {
    return { id, error: storeError(error) };
  }
}
