import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { moduleBeside } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import type { Verdict } from "../verdict.ts";
import type { MathsOptions } from "./grade-maths.ts";
import type { MathsNote, MathsPair } from "./maths-worker.ts";

/** Grades mathematics on separate threads. */
export interface MathsGrader {
  /**
   * Grades a reply. Exceeded time or memory makes it wrong and `undecided`, without effect on other pairs.
   * @param signal - aborts: not `decided`, rule `aborted`
   * @throws LaconicError `engine_failed` after `close`, or if the thread cannot start
   */
  grade(reply: string, gold: string, options?: MathsOptions, signal?: AbortSignal): Promise<Verdict>;
  /** Rejects waiting pairs. */
  close(): Promise<void>;
}

/** Limits per comparison. */
export interface MathsGraderOptions {
  /** Processor time in milliseconds; wall time if unknown. Default 3000. */
  readonly timeoutMs?: number;
  /** MiB per thread. Default 256. */
  readonly memoryMiB?: number;
  /** Default 1. */
  readonly threads?: number;
}

interface Job {
  readonly pair: MathsPair;
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

const atOnce = 32;
/** Starved thread's wall time, plus 20 times a pair's limit. */
const longestWallMs = 30_000;

const givenUp: Verdict = { correct: false, extracted: null, rule: "aborted", certainty: "undecided", decided: false };

/** Starts its thread at the first pair. */
export function mathsGrader(options: MathsGraderOptions = {}): MathsGrader {
  return mathsGraderOn(moduleBeside("./maths-worker", import.meta.url), options);
}

/**
 * Sends each pair to the least busy thread.
 * @param entry - module whose `serve` grades pairs
 */
export function mathsGraderOn(entry: URL, options: MathsGraderOptions = {}): MathsGrader {
  const threads = Array.from({ length: options.threads ?? 1 }, () => ({
    grader: new MathsThread(entry, options),
    pairs: 0,
  }));
  return {
    async grade(...pair) {
      const thread = threads.reduce((least, item) => (item.pairs < least.pairs ? item : least));
      thread.pairs += 1;
      try {
        return await thread.grader.grade(...pair);
      } finally {
        thread.pairs -= 1;
      }
    },
    async close() {
      await Promise.all(threads.map(({ grader }) => grader.close()));
    },
  };
}

class MathsThread implements MathsGrader {
  readonly #entry: URL;
  readonly #timeoutMs: number;
  readonly #memoryMiB: number;
  readonly #waiting: Job[] = [];
  readonly #sent: Job[] = [];
  #worker: Worker | null = null;
  #isReady = false;
  #threadName: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(entry: URL, { timeoutMs = 3000, memoryMiB = 256 }: MathsGraderOptions) {
    this.#entry = entry;
    this.#timeoutMs = timeoutMs;
    this.#memoryMiB = memoryMiB;
  }

  grade(reply: string, gold: string, options?: MathsOptions, signal?: AbortSignal): Promise<Verdict> {
    if (this.#isClosed) return Promise.reject(closed());
    if (signal?.aborted) return Promise.resolve(givenUp);
    let giveUp = (): void => undefined;
    const verdict = new Promise<Verdict>((resolve, reject) => {
      const job: Job = { pair: { reply, gold, ...(options && { options }) }, resolve, reject };
      giveUp = () => {
        const index = this.#waiting.indexOf(job);
        if (index >= 0) this.#waiting.splice(index, 1);
        resolve(givenUp);
      };
      this.#waiting.push(job);
    });
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#pump();
    return verdict.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#rejectAll(closed());
    this.#worker?.removeAllListeners();
    await this.#worker?.terminate();
  }

  #pump(): void {
    if (this.#isClosed || this.#waiting.length + this.#sent.length === 0) return;
    this.#worker ??= this.#start();
    this.#worker.ref();
    while (this.#isReady && this.#sent.length < atOnce && this.#waiting.length > 0) {
      const job = this.#waiting.shift()!;
      this.#sent.push(job);
      this.#worker.postMessage(job.pair);
      if (this.#sent.length === 1) this.#watch();
    }
  }

  #watch(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#sent.length === 0 || !this.#isReady) return;
    const timeoutMs = this.#timeoutMs;
    const before = threadMilliseconds(this.#threadName);
    const start = performance.now();
    const look = (): void => {
      const now = threadMilliseconds(this.#threadName);
      const wall = performance.now() - start;
      const own = now === null || before === null ? wall : now - before;
      if (own >= timeoutMs) this.#replace(`took more than ${timeoutMs} ms`);
      else if (wall >= longestWallMs + 20 * timeoutMs) this.#replace("got no processor", false);
      else this.#timer = setTimeout(look, Math.max(10, timeoutMs - own));
    };
    this.#timer = setTimeout(look, timeoutMs);
  }

  #replace(why: string, decided = true): void {
    const old = this.#worker;
    this.#worker = null;
    this.#isReady = false;
    this.#threadName = null;
    old?.removeAllListeners();
    void old?.terminate();
    const [guilty, ...others] = this.#sent.splice(0);
    guilty?.resolve({ ...givenUp, rule: `the comparison ${why}`, decided });
    this.#waiting.unshift(...others);
    this.#watch();
    this.#pump();
  }

  #start(): Worker {
    const thread = new Worker(new URL("../../assets/maths-worker.mjs", import.meta.url), {
      workerData: { entry: this.#entry.href },
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMiB, stackSizeMb: 4 },
    });
    thread.on("message", (note: MathsNote) => {
      if (note === "ready") this.#isReady = true;
      else if ("thread" in note) this.#threadName = note.thread;
      else this.#sent.shift()?.resolve(note);
      this.#watch();
      this.#pump();
      // Idle graders do not block exit.
      if (this.#sent.length + this.#waiting.length === 0) thread.unref();
    });
    const stopped = (error: unknown): void => {
      if (this.#isReady) return this.#replace("stopped its thread");
      thread.removeAllListeners(); // an exit follows an error, when a later pair may have started a new thread
      this.#worker = null;
      this.#rejectAll(new LaconicError("engine_failed", "the maths grader's thread did not start", {}, error));
    };
    thread.on("error", stopped);
    thread.on("exit", stopped);
    return thread;
  }

  #rejectAll(error: LaconicError): void {
    for (const job of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) job.reject(error);
  }
}

function closed(): LaconicError {
  return new LaconicError("engine_failed", "the maths grader was closed");
}

/**
 * Processor milliseconds of a thread; null if unknown.
 * @param thread - name in `/proc/thread-self`
 */
function threadMilliseconds(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the preceding name may contain anything
    return (Number(fields[11]) + Number(fields[12])) * 10; // utime, stime in hundredths of a second
  } catch {
    return null;
  }
}
