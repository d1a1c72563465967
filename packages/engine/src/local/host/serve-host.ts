import type { DrawnListener } from "../../generation/draw.ts";
import { CallOrder } from "../replicas/call-order.ts";
import { movedBuffers, storeError, type EngineHost, type HostCall, type ServingPort } from "./protocol.ts";

/** Serves host calls in order, except concurrent `sample` calls and immediate `cancel`. */
export function serveHost(port: ServingPort, opened: Promise<EngineHost>): void {
  opened.catch(() => undefined); // each call reports the error
  const order = new CallOrder();
  port.onMessage((call: HostCall) => {
    const task = (): Promise<void> => answer(port, opened, call);
    const modelMethod = call.method === "call" ? call.args[1] : null;
    if (modelMethod === "cancel") void task();
    else if (modelMethod === "sample") void order.together(task);
    else void order.alone(task);
  });
}

async function answer(port: ServingPort, opened: Promise<EngineHost>, { id, method, args }: HostCall): Promise<void> {
  try {
    const host = await opened;
    const onDrawn: DrawnListener = (drawn) => port.post({ id, drawn }, []);
    const call = host[method] as (...args: unknown[]) => Promise<unknown>;
    const value = await call.apply(
      host,
      method === "call" ? args.map((arg) => (arg === true ? onDrawn : arg)) : [...args],
    );
    port.post({ id, value }, movedBuffers(Object.values(value ?? {})));
  } catch (error) {
    port.post({ id, error: storeError(error) }, []);
  }
  if (method === "close") port.close();
}
