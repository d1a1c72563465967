// Entry of the maths grader's thread: plain JavaScript, so that Node opens it from the repository and from a package alike.
import { readlinkSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

/** @type {{ entry: string }} */
const { entry } = workerData;
// In the repository the code is TypeScript and this thread has no loader of its own yet.
if (entry.endsWith(".ts")) (await import("tsx/esm/api")).register();
try {
  parentPort?.postMessage({ thread: readlinkSync("/proc/thread-self") });
} catch {
  // Only Linux names its threads.
}
const { serve } = await import(entry);
await serve();
