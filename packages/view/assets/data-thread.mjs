// Entry of the thread that reads run folders: plain JavaScript, so that Node opens it from the repository and from a package alike.
import { workerData } from "node:worker_threads";

/** @type {{ entry: string }} */
const { entry } = workerData;
// In the repository the code is TypeScript and this thread has no loader of its own yet.
if (entry.endsWith(".ts")) (await import("tsx/esm/api")).register();
const { serve } = await import(entry);
await serve();
