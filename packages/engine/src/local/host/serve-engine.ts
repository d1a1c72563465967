import { LaconicError } from "@laconic/core";
import type { ModelFiles } from "@laconic/core/files";
import type { CreateKernels } from "../../kernels/index.ts";
import { defaultFiles } from "#platform";
import { InlineHost } from "./inline-host.ts";
import type { EngineHost, HostSetup } from "./protocol.ts";
import { serveHost } from "./serve-host.ts";
import { webWorkerScopePort, type WebWorkerScope } from "./web-worker.ts";

/** Options of `serveEngine`. */
export interface ServeEngineOptions {
  /** Loaders by the device name of kernel sources. */
  readonly kernels: Readonly<Record<string, CreateKernels>>;
  /** Storage of models, private to this worker. */
  readonly files?: ModelFiles;
}

/**
 * Serves an engine in a Web Worker whose file calls it; see `startWorker` of `createLocalEngine`.
 * @param scope - default: the worker's global scope
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
