import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { moduleBeside } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import type { Verdict } from "../verdict.ts";
import type { MathsOptions } from "./grade-maths.ts";
import type { MathsNote, MathsPair } from "./maths-worker.ts";

/** Judges mathematics on a thread of its own. */
export interface MathsGrader {
  /**
   * Judges one reply. A pair that exceeds the thread's time or memory is wrong, its certainty `undecided`; one without
   * processor time is not `decided`. Either way the thread is replaced, and later pairs are not affected.
   * @param signal - aborts the pair: it is not `decided`, with the rule `aborted`
   * @throws LaconicError `engine_failed` after `close`, or when the thread cannot start
   */
  grade(reply: string, gold: string, options?: MathsOptions, signal?: AbortSignal): Promise<Verdict>;
  /** Ends the thread; pairs that wait are rejected. */
  close(): Promise<void>;
}

/** Limits of one comparison. */
export interface MathsGraderOptions {
  /** Milliseconds of processor time for one pair; of wall time where the system reports no other. Default 3000. */
  readonly timeoutMs?: number;
  /** Mebibytes of the thread's memory. Default 256. */
  readonly memoryMiB?: number;
  /** Threads that share the pairs, each with this memory. Default 1. */
  readonly threads?: number;
}

interface Job {
  readonly pair: MathsPair;
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

/** Pairs that the thread holds at a time: enough to keep it busy. */
const atOnce = 32;
/** Wall time after which, with 20 times a pair's own time, the thread counts as starved. */
const longestWallMs = 30_000;

const givenUp: Verdict = { correct: false, extracted: null, rule: "aborted", certainty: "undecided", decided: false };

/** Starts the grader's thread at the first pair. */
export function mathsGrader(options: MathsGraderOptions = {}): MathsGrader {
  return mathsGraderOn(moduleBeside("./maths-worker", import.meta.url), options);
}

/**
 * Threads of which each pair goes to the one that has the fewest.
 * @param entry - module whose `serve` judges pairs on a thread
 */
export function mathsGraderOn(entry: URL, options: MathsGraderOptions = {}): MathsGrader {
  const threads = Array.from({ length: options.threads ?? 1 }, () => ({
    grader: new MathsThread(entry, options),
    pairs: 0,
  }));
  return {
    async grade(...pair) {
      const thread = threads.reduce((least, each) => (each.pairs < least.pairs ? each : least));
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
      // A pair that was sent comes back in its turn and is ignored.
      giveUp = () => {
        const place = this.#waiting.indexOf(job);
        if (place >= 0) this.#waiting.splice(place, 1);
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
      const job = this.#waiting.shift() as Job;
      this.#sent.push(job);
      this.#worker.postMessage(job.pair);
      if (this.#sent.length === 1) this.#watch();
    }
  }

  /** Gives the oldest pair up when its time is over. */
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

  /** The oldest pair is to blame; those behind it are judged by the next thread. */
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
      // An idle grader does not keep the process alive.
      if (this.#sent.length + this.#waiting.length === 0) thread.unref();
    });
    const stopped = (error: unknown): void => {
      if (this.#isReady) return this.#replace("stopped its thread");
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
 * Milliseconds of processor time that a thread has used; null where the system does not report it.
 * @param thread - as `/proc/thread-self` names it
 */
function threadMilliseconds(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may hold anything
    return (Number(fields[11]) + Number(fields[12])) * 10; // utime, stime: proc_pid_stat(5), in hundredths of a second
  } catch {
    return null;
  }
}
