// Training loop in a worker; its engine runs in another worker.
import { memoryFileSystem } from "../../packages/core/src/files/index.ts";
import { createLocalEngine, type WebWorker } from "../../packages/engine/src/index.ts";
import { wasmKernels } from "../../packages/engine/src/wasm/index.ts";
import { serveTask } from "./serve-task.ts";
import { fetchOptions, session, type SessionResult } from "./session.ts";

declare const Worker: new (address: URL, options: { readonly type: "module" }) => WebWorker;

serveTask(async (query): Promise<SessionResult> => {
  const options = await fetchOptions();
  const engine = await createLocalEngine({
    device: wasmKernels(),
    startWorker: () => new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" }),
  });
  return session(engine, memoryFileSystem(), { ...options, steps: Number(query.get("steps")) });
});
