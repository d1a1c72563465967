import { LaconicError } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { CreateKernels } from "../../kernels/index.ts";
import { defaultFiles } from "#platform";
import { InlineHost } from "./inline-host.ts";
import type { EngineHost, HostSetup } from "./protocol.ts";
import { serveHost } from "./serve-host.ts";
import { webWorkerScopePort, type WebWorkerScope } from "./web-worker.ts";

/** What a worker of the app brings. */
export interface ServeEngineOptions {
  /** By the device's name, as kernel sources carry it. */
  readonly kernels: Readonly<Record<string, CreateKernels>>;
  /** Where models are read from and saved: this worker's, nobody else sees them unless they say so. */
  readonly files?: ModelFiles;
}

/**
 * The whole of a Web Worker that computes for an engine: the file of the worker calls it, `createLocalEngine` with
 * `startWorker` calls the worker.
 * @param scope - the worker's own by default
 */
export function serveEngine(
  { kernels, files = defaultFiles }: ServeEngineOptions,
  scope: WebWorkerScope = globalThis as unknown as WebWorkerScope,
): void {
  const open = async ({ device: { device, options }, place, ...settings }: HostSetup): Promise<EngineHost> => {
    const create = Object.hasOwn(kernels, device) ? kernels[device] : undefined;
    if (!create)
      throw new LaconicError(
        "device_unavailable",
        `this worker has no kernels for ${device}; it was given ${Object.keys(kernels).join(", ") || "none"}`,
        { device },
      );
    return new InlineHost(await create(options, place), { ...settings, files });
  };
  const port = webWorkerScopePort(scope, (setup) => serveHost(port, open(setup)));
}
