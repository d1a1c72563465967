import { parentPort } from "node:worker_threads";
import type { MathsPair } from "../src/maths/maths-worker.ts";

/** Compares by equality; hangs on the reply "hang", and sleeps 2 s on "wait", like a busy machine. */
export function serve(): void {
  parentPort?.on("message", ({ reply, gold }: MathsPair) => {
    while (reply === "hang");
    if (reply === "wait") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
    parentPort?.postMessage({ correct: reply === gold, extracted: reply, rule: "equal", certainty: "exact" });
  });
  parentPort?.postMessage("ready");
}
