import { LaconicError, type TokenUsage } from "@laconic/core";
import type { SpendJournal } from "./spend-journal.ts";

/** The most that a call can cost, set aside. */
export interface Reservation {
  /** Writes the call to the account's journal, if it has one: before it is sent. @throws LaconicError `run_unwritable` */
  begin(): Promise<void>;
  /** Ends it with what the call cost and used, or, where that is not known, at its reservation. */
  settle(spentUsd?: number, usage?: TokenUsage): void;
}

/** What has been spent, and what may be. Shared by all models that one budget pays for. */
export class SpendAccount {
  readonly maxUsd: number | null;
  #settled: number;
  #reserved = 0;
  #running = 0;
  #journal: SpendJournal | null = null;
  /** Calls that fit the cap once running calls cost less than was set aside for them. */
  #waiting: { readonly usd: number; decide(): void }[] = [];

  /**
   * @param maxUsd - null counts without a cap
   * @param spentUsd - what an earlier part of the same work cost
   */
  constructor(maxUsd: number | null = null, spentUsd = 0) {
    if (!(spentUsd >= 0))
      throw new LaconicError("config_invalid", `spent before is ${spentUsd}, expected US dollars`, { spentUsd });
    this.#settled = spentUsd;
    if (maxUsd !== null && !(maxUsd > 0))
      throw new LaconicError("config_invalid", `a spend cap is ${maxUsd}, expected US dollars above 0`, { maxUsd });
    this.maxUsd = maxUsd;
  }

  /** US dollars of calls that ended. */
  get spentUsd(): number {
    return this.#settled;
  }
  /** US dollars that running calls may still cost. */
  get reservedUsd(): number {
    return this.#reserved;
  }

  /** Writes every call from now on to a journal before it is sent; null to none. A call stays in the one it began in. */
  keepIn(journal: SpendJournal | null): void {
    this.#journal = journal;
  }

  /**
   * As {@link reserve}, but waits for running calls: they usually cost less than was set aside for them.
   * @throws LaconicError `budget_refused` when the cap would not hold either way
   * @throws the signal's reason
   */
  async reserveInTurn(usd: number, signal?: AbortSignal): Promise<Reservation> {
    const neverFits = this.#settled + usd > (this.maxUsd ?? Infinity);
    if (neverFits || (this.#waiting.length === 0 && (this.#running === 0 || this.#fits(usd)))) return this.reserve(usd);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        signal?.removeEventListener("abort", abort);
        this.#waiting = this.#waiting.filter((other) => other !== call);
        settle();
      };
      const abort = (): void => {
        end(() => reject(signal?.reason as Error));
        this.#decideNext();
      };
      const decide = (): void =>
        end(() => {
          try {
            resolve(this.reserve(usd));
          } catch (refusal) {
            reject(refusal);
          }
        });
      const call = { usd, decide };
      this.#waiting.push(call);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
    });
  }

  #fits(usd: number): boolean {
    return this.#settled + this.#reserved + usd <= (this.maxUsd ?? Infinity);
  }

  #decideNext(): void {
    for (let [next] = this.#waiting; next && (this.#running === 0 || this.#fits(next.usd)); [next] = this.#waiting)
      next.decide();
  }

  /**
   * Sets the most that a call can cost aside.
   * @throws LaconicError `budget_refused` when the cap would not hold
   */
  reserve(usd: number): Reservation {
    if (this.maxUsd !== null && !this.#fits(usd))
      throw new LaconicError(
        "budget_refused",
        `the next call may cost $${usd.toFixed(4)}; $${this.#settled.toFixed(4)} is spent and $${this.#reserved.toFixed(4)} set aside of $${this.maxUsd}`,
        { spentUsd: this.#settled, maxUsd: this.maxUsd },
      );
    this.#reserved += usd;
    this.#running += 1;
    let open = true;
    let written: ((spentUsd: number, usage?: TokenUsage) => void) | undefined;
    return {
      begin: async () => {
        written = await this.#journal?.begin(usd);
      },
      settle: (spent = usd, usage?: TokenUsage) => {
        if (!open) return;
        open = false;
        this.#running -= 1;
        // Sums of fractions would leave a rest.
        this.#reserved = this.#running === 0 ? 0 : this.#reserved - usd;
        this.#settled += spent;
        written?.(spent, usage);
        this.#decideNext();
      },
    };
  }
}
