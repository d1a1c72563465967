import { parentPort, workerData } from "node:worker_threads";
import type { CreateKernels } from "../../kernels/index.ts";
import { defaultFiles } from "#platform";
import { InlineHost } from "./inline-host.ts";
import type { EngineHost, HostSetup } from "./protocol.ts";
import { serveHost } from "./serve-engine.ts";

export async function serve(): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error("worker-main runs in a worker thread only");
  serveHost(
    {
      post: (message, move) => port.postMessage(message, [...move]),
      onMessage: (listener) => void port.on("message", (message) => listener(message as never)),
      close: () => port.close?.(),
    },
    openHost(workerData as HostSetup),
  );
}

async function openHost({ device, place, ...settings }: HostSetup): Promise<EngineHost> {
  const { createKernels } = (await import(device.module)) as { createKernels: CreateKernels };
  return new InlineHost(await createKernels(device.options, place), { ...settings, files: defaultFiles });
}
