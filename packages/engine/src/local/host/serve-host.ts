import type { DrawnListener } from "../../generation/drawn-tokens.ts";
import { CallOrder } from "../replicas/call-order.ts";
import type { EngineHost } from "./engine-host.ts";
import type { ServingPort } from "./host-port.ts";
import { movedBuffers, storeError, type HostCall } from "./protocol.ts";

/** Serves host calls until the port closes: in their order, samples together, and cancellations at once. */
export function serveHost(port: ServingPort, opened: Promise<EngineHost>): void {
  opened.catch(() => undefined); // each call reports it
  const order = new CallOrder();
  port.onMessage((call: HostCall) => {
    const task = (): Promise<void> => answer(port, opened, call);
    if (call.method === "cancel") void task();
    else if (call.method === "sample") void order.together(task);
    else void order.alone(task);
  });
}

async function answer(port: ServingPort, opened: Promise<EngineHost>, { id, method, args }: HostCall): Promise<void> {
  try {
    const host = await opened;
    // Method and arguments belong together, which the compiler does not follow through a union.
    const call = host[method] as (...args: readonly unknown[]) => Promise<unknown>;
    const listens = method === "sample" && (args[4] as unknown) === true;
    const onDrawn: DrawnListener = (drawn) => port.post({ id, drawn }, []);
    const value = await call.apply(
      host,
      method === "sample" ? [...args.slice(0, 4), listens ? onDrawn : undefined] : args,
    );
    port.post({ id, value }, movedBuffers(Object.values(value ?? {})));
  } catch (error) {
    port.post({ id, error: storeError(error) }, []);
  }
  if (method === "close") port.close();
}
