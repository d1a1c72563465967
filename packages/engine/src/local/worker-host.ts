import { Worker } from "node:worker_threads";
import { LaconicError, type SampleResult } from "@laconic/core";
import type { DrawnListener } from "../generation/drawn-tokens.ts";
import type { GenerationLimits } from "../generation/running-batch.ts";
import type { KernelSource } from "@laconic/kernels";
import type { Recompute } from "../transformer/train-pass.ts";
import type { EngineHost } from "./engine-host.ts";
import { movedBuffers, reviveError, type HostMethod, type HostReply, type WorkerSetup } from "./protocol.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onDrawn?: DrawnListener | undefined;
}

/** Starts an engine replica on its own thread. A thread that dies rejects every call with `engine_failed`. */
export function startWorkerHost(
  device: KernelSource,
  recompute: Recompute,
  limits: Partial<GenerationLimits> = {},
): EngineHost {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const setup: WorkerSetup = {
    entry: new URL(`./worker-main.${extension}`, import.meta.url).href,
    device,
    recompute,
    limits,
  };
  const worker = new Worker(new URL("../../assets/worker.mjs", import.meta.url), { workerData: setup, execArgv: [] });
  const pending = new Map<number, Pending>();
  let nextId = 0;
  let failure: LaconicError | null = null;
  let closed: Promise<void> | null = null;

  const settle = (id: number): Pending | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker.unref(); // an idle engine does not keep the process alive
    return call;
  };
  const fail = (error: LaconicError): void => {
    failure ??= error;
    for (const id of [...pending.keys()]) settle(id)?.reject(failure);
  };
  worker.on("message", (reply: HostReply) => {
    if ("drawn" in reply) pending.get(reply.id)?.onDrawn?.(reply.drawn);
    else if ("error" in reply) settle(reply.id)?.reject(reviveError(reply.error));
    else settle(reply.id)?.resolve(reply.value);
  });
  worker.on("error", (error) =>
    fail(new LaconicError("engine_failed", `the engine's worker stopped: ${String(error)}`, {}, error)),
  );
  worker.on("exit", (code) =>
    fail(new LaconicError("engine_failed", `the engine's worker exited with code ${code}`, { code })),
  );
  worker.unref();

  const call = (method: HostMethod, args: readonly unknown[], onDrawn?: DrawnListener): Promise<unknown> => {
    if (failure) return Promise.reject(failure);
    const id = nextId++;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, onDrawn });
      worker.ref();
      try {
        worker.postMessage({ id, method, args }, movedBuffers(args));
      } catch (error) {
        const message = `${method}: an argument cannot be sent to a thread: ${String(error)}`;
        settle(id)?.reject(new LaconicError("input_invalid", message, {}, error));
      }
    });
  };
  const remote =
    <M extends HostMethod>(method: M) =>
    (...args: Parameters<EngineHost[M]>): ReturnType<EngineHost[M]> =>
      call(method, args) as ReturnType<EngineHost[M]>;

  const close = async (): Promise<void> => {
    if (!failure) {
      const done = call("close", []);
      failure = new LaconicError("engine_failed", "the engine was closed");
      await done;
    }
    await worker.terminate();
  };
  return {
    describe: remote("describe"),
    create: remote("create"),
    forward: remote("forward"),
    forwardForGradient: remote("forwardForGradient"),
    backward: remote("backward"),
    discardGradient: remote("discardGradient"),
    exportGradient: remote("exportGradient"),
    optimStep: remote("optimStep"),
    sample: (model, weights, requests, number, onDrawn) =>
      call("sample", [model, weights, requests, number, onDrawn !== undefined], onDrawn) as Promise<SampleResult[]>,
    cancel: remote("cancel"),
    snapshot: remote("snapshot"),
    disposeSnapshot: remote("disposeSnapshot"),
    save: remote("save"),
    load: remote("load"),
    disposeModel: remote("disposeModel"),
    close: () => (closed ??= close()),
  };
}
