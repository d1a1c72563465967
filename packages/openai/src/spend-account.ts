import { LaconicError, type Completion } from "@laconic/core";
import { Turns } from "@laconic/core/async";
import type { CallReply, SpendJournal } from "./spend-journal.ts";

/** The most that a call can cost, set aside. */
export interface Reservation {
  /** Writes the call to the account's journal, if it has one: before it is sent. @throws LaconicError `run_unwritable` */
  begin(): Promise<void>;
  /**
   * Ends it with what the call cost and brought, or, where that is not known, at its reservation. Resolves when the journal has it; never
   * rejects.
   */
  settle(spentUsd?: number, reply?: CallReply): Promise<void>;
}

/** What has been spent, and what may be. Shared by all models that one budget pays for. */
export class SpendAccount {
  readonly maxUsd: number | null;
  #settled: number;
  #journal: SpendJournal | null = null;
  /** Its places are US dollars that the cap leaves. */
  readonly #turns: Turns;

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
    this.#turns = new Turns(this.#leftUsd);
  }

  /** US dollars of calls that ended. */
  get spentUsd(): number {
    return this.#settled;
  }
  /** US dollars that running calls may still cost. */
  get reservedUsd(): number {
    return this.#turns.taken;
  }
  get #leftUsd(): number {
    return (this.maxUsd ?? Infinity) - this.#settled;
  }

  /** Writes every call from now on to a journal before it is sent; null to none. A call stays in the one it began in. */
  keepIn(journal: SpendJournal | null): void {
    this.#journal = journal;
  }

  /** The reply of a call that an earlier process paid for, once for each such call; null for none. It costs nothing. */
  async replay(key: string): Promise<Completion | null> {
    return (await this.#journal?.replay(key)) ?? null;
  }

  /**
   * Sets the most that a call can cost aside. Waits for running calls: they usually cost less than was set aside for them.
   * @throws LaconicError `budget_refused` when the cap would not hold either way, `aborted`
   */
  async reserve(usd: number, signal?: AbortSignal): Promise<Reservation> {
    this.#checkFits(usd);
    await this.#turns.enter(signal, usd);
    try {
      this.#checkFits(usd);
    } catch (refusal) {
      this.#turns.leave(usd);
      throw refusal;
    }
    let open = true;
    let written: Awaited<ReturnType<SpendJournal["begin"]>> | undefined;
    return {
      begin: async () => {
        written = await this.#journal?.begin(usd);
      },
      settle: async (spent = usd, reply?: CallReply) => {
        if (!open) return;
        open = false;
        this.#settled += spent;
        this.#turns.count = this.#leftUsd;
        this.#turns.leave(usd);
        await written?.(spent, reply);
      },
    };
  }

  #checkFits(usd: number): void {
    const { maxUsd } = this;
    if (maxUsd === null || usd <= this.#leftUsd) return;
    const [spent, reserved] = [this.#settled, this.reservedUsd].map((sum) => `$${sum.toFixed(4)}`);
    throw new LaconicError(
      "budget_refused",
      `the next call may cost $${usd.toFixed(4)}; ${spent} is spent and ${reserved} set aside of $${maxUsd}`,
      { spentUsd: this.#settled, maxUsd },
    );
  }
}
