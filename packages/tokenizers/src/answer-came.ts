import { performance } from "node:perf_hooks";

/**
 * Blocks until a thread has counted one more answer.
 * @param answers - one number, shared with the thread, which adds to it and notifies
 * @param before - what it was when the thread was asked
 * @returns false when no answer came in so many seconds
 */
export function answerCame(answers: Int32Array, before: number, seconds: number): boolean {
  const late = performance.now() + seconds * 1000;
  // A notification of the answer before can come only now, and wakes a wait that it is not for.
  while (Atomics.load(answers, 0) === before)
    if (Atomics.wait(answers, 0, before, late - performance.now()) === "timed-out") return false;
  return true;
}
