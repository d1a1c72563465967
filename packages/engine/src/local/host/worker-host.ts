import { LaconicError, type SampleResult } from "@laconic/core";
import type { DrawnListener } from "../../generation/drawn-tokens.ts";
import type { EngineHost } from "./engine-host.ts";
import type { HostPort } from "./host-port.ts";
import { movedBuffers, reviveError, type HostMethod, type HostReply } from "./protocol.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  onDrawn?: DrawnListener | undefined;
}

/** An engine replica on another thread. A thread that dies rejects every call with `engine_failed`. */
export function hostOver(port: HostPort): EngineHost {
  const pending = new Map<number, Pending>();
  let nextId = 0;
  let failure: LaconicError | null = null;
  let closed: Promise<void> | null = null;

  const settle = (id: number): Pending | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) port.wait(false);
    return call;
  };
  const fail = (error: LaconicError): void => {
    failure ??= error;
    for (const id of Array.from(pending.keys())) settle(id)?.reject(failure);
  };
  port.onMessage((reply: HostReply) => {
    if ("drawn" in reply) pending.get(reply.id)?.onDrawn?.(reply.drawn);
    else if ("error" in reply) settle(reply.id)?.reject(reviveError(reply.error));
    else settle(reply.id)?.resolve(reply.value);
  });
  port.onFailure(fail);

  const call = (method: HostMethod, args: readonly unknown[], onDrawn?: DrawnListener): Promise<unknown> => {
    if (failure) return Promise.reject(failure);
    const id = nextId++;
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, onDrawn });
      port.wait(true);
      try {
        port.post({ id, method, args }, movedBuffers(args));
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
    await port.close();
  };
  return {
    describe: remote("describe"),
    create: remote("create"),
    forward: remote("forward"),
    forwardForGradient: remote("forwardForGradient"),
    backward: remote("backward"),
    discardGradient: remote("discardGradient"),
    exportGradient: remote("exportGradient"),
    sumGradients: remote("sumGradients"),
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
