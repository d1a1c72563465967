// Shared by tests that run commands in their own process: `apps`, `test` and `test/chaos`.
import { readFileSync, statfsSync } from "node:fs";
import { MessageChannel } from "node:worker_threads";
import { vi } from "vitest";
import type { CreateKernels } from "../packages/engine/src/kernels/index.ts";
import type { HostPort, HostSetup } from "../packages/engine/src/local/host/protocol.ts";

/** In-memory file system of Linux. Runs sync every file, so small runs would mostly wait for the disk. */
const memory = "/dev/shm";

/** Whether it has space and allows programs to start; often not in containers. */
function isRoomy(): boolean {
  if (process.platform !== "linux") return false;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .find((line) => line.split(" ")[1] === memory);
  if (mount === undefined || mount.includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4 * 2 ** 30;
}

if (isRoomy()) process.env["TMPDIR"] = memory;

/**
 * Runs an engine's worker on the calling thread, behind a message channel. A thread would load the sources first, half
 * a CPU second per command. Command-line processes and the engine's tests start real threads.
 */
function startHere({ device, place, ...settings }: HostSetup): HostPort {
  const { port1: near, port2: far } = new MessageChannel();
  near.unref();
  far.unref();
  const opened = (async () => {
    const [{ serveHost }, { InlineHost }, { defaultFiles }, { createKernels }] = await Promise.all([
      import("../packages/engine/src/local/host/serve-engine.ts"),
      import("../packages/engine/src/local/host/inline-host.ts"),
      import("../packages/engine/src/platform/node.ts"),
      import(device.module) as Promise<{ createKernels: CreateKernels }>,
    ]);
    const host = createKernels(device.options, place).then(
      (kernels) => new InlineHost(kernels, { ...settings, files: defaultFiles }),
    );
    serveHost(
      {
        post: (message, move) => far.postMessage(message, [...move]),
        onMessage: (listener) => void far.on("message", listener as (message: unknown) => void),
        close: () => far.close(),
      },
      host,
    );
  })();
  opened.catch(() => undefined);
  return {
    post: (message, move) => near.postMessage(message, [...move]),
    onMessage: (listener) => void near.on("message", listener as (message: unknown) => void),
    onFailure: () => undefined,
    wait: (isBusy) => (isBusy ? near.ref() : near.unref()),
    close: async () => near.close(),
  };
}

vi.mock("../packages/engine/src/platform/node.ts", async (original) => ({
  ...(await original<object>()),
  startThread: startHere,
}));
