import { Turns } from "@laconic/core/async";
import { optionCheck } from "@laconic/core/checks";

/** Options of `Limiter`. */
export interface LimiterOptions {
  /** Initial max concurrent requests. Default 20. */
  readonly start?: number;
  /** Upper bound of concurrent requests. Default 100. */
  readonly max?: number;
}

const checkOptions = optionCheck<LimiterOptions>()("Limiter", "start max");

/** Milliseconds until the next decrease. */
const cooldownMs = 15_000;

/**
 * Adapts concurrency: one more after each round of successes, a fifth fewer after "too many requests" (additive
 * increase, multiplicative decrease). Requests are served in order.
 */
export class Limiter {
  readonly #max: number;
  readonly #turns: Turns;
  #allowed: number;
  #loweredAt = -Infinity;

  constructor(options: LimiterOptions = {}) {
    checkOptions(options);
    const { start = 20, max = 100 } = options;
    this.#allowed = Math.min(start, max);
    this.#turns = new Turns(this.allowed);
    this.#max = max;
  }

  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** Waits for a slot. @throws LaconicError `aborted` */
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
