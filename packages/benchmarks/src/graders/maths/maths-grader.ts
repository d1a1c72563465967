import { Worker } from "node:worker_threads";
import { LaconicError } from "@laconic/core";
import type { Verdict } from "../verdict.ts";
import type { MathsOptions } from "./grade-maths.ts";
import type { MathsNote, MathsPair } from "./maths-worker.ts";
import { threadMilliseconds } from "./thread-time.ts";

/** Judges mathematics on a thread of its own. */
export interface MathsGrader {
  /**
   * Judges one reply. A pair that takes too long, by the thread's own time, or too much memory is wrong, its certainty
   * `undecided`; one that the machine gave no time is not `decided`. Either way the thread is replaced, and the pairs behind it
   * do not notice.
   * @param signal - gives the pair up once aborted: it is not `decided`, with the rule `aborted`
   * @throws LaconicError `engine_failed` after `close`, or when the thread cannot start
   */
  grade(reply: string, gold: string, options?: MathsOptions, signal?: AbortSignal): Promise<Verdict>;
  /** Ends the thread; pairs that wait are rejected. */
  close(): Promise<void>;
}

/** What comparing one pair of answers may take before it is given up. */
export interface MathsGraderOptions {
  /** Milliseconds of the thread's own time for one pair; of the wall's where the system tells no thread's. Default 3000. */
  readonly timeoutMs?: number;
  /** Mebibytes of the thread's memory. Default 256. */
  readonly memoryMiB?: number;
}

interface Job {
  readonly pair: MathsPair;
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

/** Pairs that the thread holds at a time: enough to keep it busy. */
const atOnce = 32;
/** By the wall: past it, and 20 times a pair's own time, the machine gave the thread no processor. */
const longestWallMs = 30_000;

const aborted: Verdict = {
  correct: false,
  extracted: null,
  rule: "aborted",
  certainty: "undecided",
  decided: false,
};

/** Starts the grader's thread at the first pair. */
export function mathsGrader(options: MathsGraderOptions = {}): MathsGrader {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return mathsGraderOn(new URL(`./maths-worker.${extension}`, import.meta.url), options);
}

/** @param entry - module whose `serve` judges pairs on the thread */
export function mathsGraderOn(entry: URL, { timeoutMs = 3000, memoryMiB = 256 }: MathsGraderOptions = {}): MathsGrader {
  const waiting: Job[] = [];
  const sent: Job[] = [];
  let worker: Worker | null = null;
  let ready = false;
  let threadName: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const watch = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (sent.length === 0 || !ready) return;
    const [before, start] = [threadMilliseconds(threadName), performance.now()];
    const look = (): void => {
      const [now, wall] = [threadMilliseconds(threadName), performance.now() - start];
      const own = now === null || before === null ? wall : now - before;
      if (own >= timeoutMs) replace(`took more than ${timeoutMs} ms`);
      else if (wall >= longestWallMs + 20 * timeoutMs) replace("got no processor", false);
      else timer = setTimeout(look, Math.max(10, timeoutMs - own));
    };
    timer = setTimeout(look, timeoutMs);
  };
  const pump = (): void => {
    if (closed || waiting.length + sent.length === 0) return;
    worker ??= start();
    worker.ref();
    while (ready && sent.length < atOnce && waiting.length > 0) {
      const job = waiting.shift() as Job;
      sent.push(job);
      worker.postMessage(job.pair);
      if (sent.length === 1) watch();
    }
  };
  /** The oldest pair is to blame; those behind it are judged by the next thread. */
  const replace = (why: string, decided = true): void => {
    const old = worker;
    [worker, ready, threadName] = [null, false, null];
    old?.removeAllListeners();
    void old?.terminate();
    const [guilty, ...others] = sent.splice(0);
    guilty?.resolve({
      correct: false,
      extracted: null,
      rule: `the comparison ${why}`,
      certainty: "undecided",
      decided,
    });
    waiting.unshift(...others);
    watch();
    pump();
  };
  const start = (): Worker => {
    const thread = new Worker(new URL("../../../assets/maths-worker.mjs", import.meta.url), {
      workerData: { entry: entry.href },
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB, stackSizeMb: 4 },
    });
    thread.on("message", (note: MathsNote) => {
      if (note === "ready") ready = true;
      else if ("thread" in note) threadName = note.thread;
      else sent.shift()?.resolve(note);
      watch();
      pump();
      if (sent.length + waiting.length === 0) thread.unref(); // an idle grader does not keep the process alive
    });
    const stopped = (error: unknown): void => {
      if (ready) return replace("stopped its thread");
      const failure = new LaconicError("engine_failed", "the maths grader's thread did not start", {}, error);
      worker = null;
      for (const job of [...sent.splice(0), ...waiting.splice(0)]) job.reject(failure);
    };
    thread.on("error", stopped);
    thread.on("exit", stopped);
    return thread;
  };

  return {
    grade(reply, gold, options, signal) {
      if (closed) return Promise.reject(new LaconicError("engine_failed", "the maths grader was closed"));
      if (signal?.aborted) return Promise.resolve(aborted);
      return new Promise((resolve, reject) => {
        const settled = (): void => signal?.removeEventListener("abort", giveUp);
        const job: Job = {
          pair: { reply, gold, ...(options && { options }) },
          resolve(verdict) {
            settled();
            resolve(verdict);
          },
          reject(error) {
            settled();
            reject(error);
          },
        };
        // What the thread holds already comes back in its turn, and is not heard.
        const giveUp = (): void => {
          const place = waiting.indexOf(job);
          if (place >= 0) waiting.splice(place, 1);
          job.resolve(aborted);
        };
        signal?.addEventListener("abort", giveUp, { once: true });
        waiting.push(job);
        pump();
      });
    },
    async close() {
      closed = true;
      if (timer) clearTimeout(timer);
      for (const job of [...sent.splice(0), ...waiting.splice(0)])
        job.reject(new LaconicError("engine_failed", "the maths grader was closed"));
      worker?.removeAllListeners();
      await worker?.terminate();
    },
  };
}
