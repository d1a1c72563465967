import { type Completion, configError, LaconicError } from "@laconic/core";
import { Turns } from "@laconic/core/async";
import type { CallReply, SpendJournal } from "./spend-journal.ts";

/** Reservation of a call's max cost. */
export interface Reservation {
  /** Writes the call to any journal before it is sent. @throws LaconicError `run_unwritable` */
  begin(): Promise<void>;
  /** Replaces the reservation by the cost, if known. Resolves when the journal is written; never rejects. */
  settle(spentUsd?: number, reply?: CallReply): Promise<void>;
}

/** Spending and cap of one budget. */
export class SpendAccount {
  readonly maxUsd: number | null;
  #settled: number;
  #journal: SpendJournal | null = null;
  /** Its slots are US dollars below the cap. */
  readonly #turns: Turns;

  /** @param maxUsd - null: no cap @param spentUsd - cost of an earlier part of the same work */
  constructor(maxUsd: number | null = null, spentUsd = 0) {
    if (!(spentUsd >= 0)) throw configError(`spentUsd: expected US dollars, got ${spentUsd}`, { spentUsd });
    this.#settled = spentUsd;
    if (maxUsd !== null && !(maxUsd > 0))
      throw configError(`maxUsd: expected US dollars above 0, got ${maxUsd}`, { maxUsd });
    this.maxUsd = maxUsd;
    this.#turns = new Turns(this.#leftUsd);
  }

  get spentUsd(): number {
    return this.#settled;
  }
  get reservedUsd(): number {
    return this.#turns.taken;
  }
  get #leftUsd(): number {
    return (this.maxUsd ?? Infinity) - this.#settled;
  }

  /** Sets the journal for calls; null for none. A running call keeps its journal. */
  keepIn(journal: SpendJournal | null): void {
    this.#journal = journal;
  }

  /** Returns a reply that an earlier process paid for, once per call; null for none. */
  async replay(key: string): Promise<Completion | null> {
    return (await this.#journal?.replay(key)) ?? null;
  }

  /**
   * Reserves the max cost. Waits for running calls, which usually cost less than reserved.
   * @throws LaconicError `budget_refused` if the cap would be exceeded anyway, `aborted`
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
      `the next call may cost $${usd.toFixed(4)}; ${spent} is spent and ${reserved} reserved of $${maxUsd}`,
      { spentUsd: this.#settled, maxUsd },
    );
  }
}
