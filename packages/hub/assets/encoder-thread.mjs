// Entry of the thread that reads prompts: plain JavaScript, so that Node opens it from the repository and from a package alike.
import { workerData } from "node:worker_threads";

/** @type {{ entry: string, port: import("node:worker_threads").MessagePort, answers: Int32Array }} */
const { entry, port, answers } = workerData;
try {
  // In the repository the code is TypeScript and this thread has no loader of its own yet.
  if (entry.endsWith(".ts")) (await import("tsx/esm/api")).register();
  const { serve } = await import(entry);
  serve();
} catch (error) {
  // The caller blocks its thread, so it receives no error event.
  port.postMessage({
    error: { code: "model_unsupported", message: `the tokenizer thread did not start: ${String(error)}`, detail: {} },
  });
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
}
