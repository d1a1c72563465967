import { configError } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { HostPort, HostSetup } from "../local/host/protocol.ts";

export const defaultFiles: ModelFiles = { exists: refuse, openToRead: refuse, openToWrite: refuse };

async function refuse(path: string): Promise<never> {
  throw configError(
    `${path}: browsers have no folders; pass files, such as memoryFileSystem() of @laconic/core/files`,
    { key: "files" },
  );
}

/** @throws LaconicError `config_invalid`: the bundler chooses a worker's file. */
export function startThread(_setup: HostSetup): HostPort {
  throw configError(
    'browsers start workers from the app\'s files; set startWorker to () => new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" }), and call serveEngine in that file',
    { key: "startWorker" },
  );
}

/** Waits a turn of the event loop; a timer would take 4 ms. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
