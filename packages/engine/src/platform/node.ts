import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { moduleBeside } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { HostPort, HostSetup } from "../local/host/protocol.ts";

export const defaultFiles: ModelFiles = {
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
  async openToRead(path) {
    // Opening a pipe without a writer would block.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) {
      await file.close();
      throw new LaconicError("weights_invalid", `${path} is not a file`, { file: path });
    }
    return {
      bytes: stats.size,
      async read(into, position) {
        // Node reads less than 2 GiB per call.
        const { bytesRead } = await file.read(into, 0, Math.min(into.length, 1 << 30), position);
        return bytesRead;
      },
      close: () => file.close(),
    };
  },
  async openToWrite(path) {
    const file = await open(path, "w");
    return { write: (bytes) => file.writeFile(bytes), sync: () => file.sync(), close: () => file.close() };
  },
};

export function startThread(setup: HostSetup): HostPort {
  const entry = moduleBeside("../local/host/worker-main", import.meta.url).href;
  const device = { ...setup.device, module: setup.device.module.replace(/\?.*$/u, "") };
  const workerData = { ...setup, device, entry };
  const worker = new Worker(new URL("../../assets/worker.mjs", import.meta.url), { workerData, execArgv: [] });
  worker.unref();
  return {
    post: (message, move) => worker.postMessage(message, [...move]),
    onMessage: (listener) => void worker.on("message", (message) => listener(message as never)),
    onFailure(listener) {
      worker.on("error", (error) =>
        listener(new LaconicError("engine_failed", `the engine's worker stopped: ${String(error)}`, {}, error)),
      );
      worker.on("exit", (code) =>
        listener(new LaconicError("engine_failed", `the engine's worker exited with code ${code}`, { code })),
      );
    },
    // An idle engine does not keep the process alive.
    wait: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    close: async () => void (await worker.terminate()),
  };
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
