import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { answerCame } from "./guarded-encoder.ts";

/** Notifies again and again, and counts an answer after so many times, if ever. */
function notifier(answers: Int32Array, after: number): Worker {
  const code = `
    const { answers, after } = require("node:worker_threads").workerData;
    let times = 0;
    const timer = setInterval(() => {
      if (++times === after) Atomics.add(answers, 0, 1);
      Atomics.notify(answers, 0);
      if (times >= after) clearInterval(timer);
    }, 5);
  `;
  return new Worker(code, { eval: true, workerData: { answers, after } });
}

test("a notification without an answer, such as the late one of the answer before, ends no wait", async () => {
  const answers = new Int32Array(new SharedArrayBuffer(4));
  const worker = notifier(answers, 10);
  expect(answerCame(answers, 0, 60)).toBe(true);
  expect(answers[0]).toBe(1);
  await worker.terminate();
});

test("notifications alone do not put off the deadline", async () => {
  const answers = new Int32Array(new SharedArrayBuffer(4));
  const worker = notifier(answers, 1e9);
  expect(answerCame(answers, 0, 0.3)).toBe(false);
  await worker.terminate();
});
