import { Turns } from "@laconic/core/async";
import { optionCheck } from "@laconic/core/checks";

/** Bounds of the number of requests in flight. */
export interface LimiterOptions {
  /** Requests at a time to begin with. Default 20. */
  readonly start?: number;
  /** Most requests at a time. Default 100. */
  readonly max?: number;
}

const checkOptions = optionCheck<LimiterOptions>()("Limiter", "start max");

/** Milliseconds after "too many requests" in which it is not lowered again. */
const cooldownMs = 15_000;

/**
 * How many requests a server takes at a time: one more for every round of successes, a fifth fewer when it says "too
 * many" (additive increase, multiplicative decrease). Those that wait go in order.
 */
export class Limiter {
  readonly #max: number;
  readonly #turns: Turns;
  #allowed: number;
  #loweredAt = Number.NEGATIVE_INFINITY;

  constructor(options: LimiterOptions = {}) {
    checkOptions(options);
    const { start = 20, max = 100 } = options;
    this.#allowed = Math.min(start, max);
    this.#turns = new Turns(this.allowed);
    this.#max = max;
  }

  /** Requests at a time, now. */
  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** Waits for a place. The caller gives it back with `leave`. @throws LaconicError `aborted` */
  enter(signal?: AbortSignal): Promise<void> {
    return this.#turns.enter(signal);
  }

  leave(outcome: "done" | "crowded" | "failed", nowMs: number = performance.now()): void {
    if (outcome === "done") this.#allowed = Math.min(this.#max, this.#allowed + 1 / this.#allowed);
    else if (outcome === "crowded" && nowMs - this.#loweredAt > cooldownMs) {
      this.#allowed = Math.max(1, this.#allowed * 0.8);
      this.#loweredAt = nowMs;
    }
    this.#turns.count = this.allowed;
    this.#turns.leave();
  }
}
