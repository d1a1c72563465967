import { Worker } from "node:worker_threads";
import { LaconicError } from "@laconic/core";
import type { KernelSource } from "../kernels/index.ts";
import type { Recompute } from "../transformer/train-pass.ts";
import type { EngineHost } from "./engine-host.ts";
import { reviveError, type HostCall, type HostReply, type WorkerSetup } from "./protocol.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const methods = [
  "describe",
  "create",
  "forward",
  "forwardForGradient",
  "backward",
  "exportGradient",
  "optimStep",
  "sample",
  "snapshot",
  "disposeSnapshot",
  "save",
  "load",
  "disposeModel",
  "liveTensors",
] as const satisfies readonly (keyof EngineHost)[];

/** Starts an engine replica on its own thread. A thread that dies rejects every call with `engine_failed`. */
export function startWorkerHost(device: KernelSource, recompute: Recompute): EngineHost {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const setup: WorkerSetup = {
    entry: new URL(`./worker-main.${extension}`, import.meta.url).href,
    device,
    recompute,
  };
  const worker = new Worker(new URL("../../assets/worker.mjs", import.meta.url), { workerData: setup, execArgv: [] });
  const pending = new Map<number, Pending>();
  let nextId = 0;
  let failure: LaconicError | null = null;

  const fail = (error: LaconicError): void => {
    failure ??= error;
    for (const { reject } of pending.values()) reject(failure);
    pending.clear();
  };
  worker.on("message", (reply: HostReply) => {
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if (pending.size === 0) worker.unref();
    if ("error" in reply) call?.reject(reviveError(reply.error));
    else call?.resolve(reply.value);
  });
  worker.on("error", (error) =>
    fail(new LaconicError("engine_failed", `the engine's worker stopped: ${String(error)}`, {}, error)),
  );
  worker.on("exit", (code) =>
    fail(new LaconicError("engine_failed", `the engine's worker exited with code ${code}`, { code })),
  );
  worker.unref(); // an idle engine does not keep the process alive

  const call = (method: string, args: readonly unknown[]): Promise<unknown> => {
    if (failure) return Promise.reject(failure);
    return new Promise((resolve, reject) => {
      const message: HostCall = { id: nextId++, method, args };
      pending.set(message.id, { resolve, reject });
      worker.ref();
      worker.postMessage(message);
    });
  };
  const proxy = Object.fromEntries(methods.map((method) => [method, (...args: unknown[]) => call(method, args)]));
  const close = async (): Promise<void> => {
    if (failure) return;
    await call("close", []);
    failure = new LaconicError("engine_failed", "the engine was closed");
    await worker.terminate();
  };
  return { ...proxy, close } as unknown as EngineHost;
}
