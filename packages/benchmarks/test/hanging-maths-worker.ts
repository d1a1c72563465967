import { parentPort } from "node:worker_threads";
import type { MathsPair } from "../src/graders/maths/maths-worker.ts";

/** Judges by equality, and never comes back from the reply "hang". */
export function serve(): void {
  parentPort?.on("message", ({ reply, gold }: MathsPair) => {
    while (reply === "hang");
    parentPort?.postMessage({ correct: reply === gold, extracted: reply, rule: "equal", certainty: "exact" });
  });
  parentPort?.postMessage("ready");
}
