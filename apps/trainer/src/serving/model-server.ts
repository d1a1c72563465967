import { thrownText } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { openServed } from "@laconic/runtime";
import { chooseDevice, expectGpus } from "@laconic/runtime/devices";
import { closeServer, createCompletionServer, type CompletionServerOptions } from "@laconic/serve";
import { boundPort, listen } from "@laconic/serve/server";
import type { Terminal } from "../cli/terminal.ts";

/** Time for running replies at shutdown. */
const graceSeconds = 3;

export interface ModelServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly device: string;
  readonly choice: Parameters<typeof openServed>[1];
  readonly limits: Partial<Omit<CompletionServerOptions, "models" | "now" | "onError">>;
  readonly keptPrefixBytes: number;
  readonly cacheBytes?: number | undefined;
}

export interface ModelServer {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly names: readonly string[];
  readonly device: string;
  /** Waits for running replies. */
  close(): Promise<void>;
}

export async function openModelServer(
  input: string,
  { host, port, device: name, choice, limits, keptPrefixBytes: maxBytes, cacheBytes }: ModelServerOptions,
  terminal: Terminal,
): Promise<ModelServer> {
  const device = await chooseDevice(name, "auto", terminal.note);
  await expectGpus(device);
  const engine = await createLocalEngine({
    device: device.sources,
    workers: device.workers,
    keptPrefixes: { maxBytes, maxAgeSeconds: 600 },
    ...(cacheBytes !== undefined && { cacheBytes }),
    onWarning: terminal.warn,
  });
  try {
    const served = await openServed(input, choice, { engine, device }, terminal);
    const server = createCompletionServer({
      ...limits,
      models: served.models,
      now: () => new Date().getTime(),
      onError: (error) => terminal.note(`error: ${thrownText(error)}`),
    });
    await listen(server, port, host);
    return {
      url: `http://${host}:${boundPort(server, port)}/v1`,
      names: served.models.map(({ name: model }) => model),
      device: device.name,
      close: async () => {
        await closeServer(server, graceSeconds * 1000);
        await served.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
